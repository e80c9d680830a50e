// Package tracing is Triton's trace extension (docs/triton/tracing.md): which requests are traced,
// with settings for all models and for each, and the file that traces are written to. It also keeps
// the tensors of requests that the workbench traces. The engine records what happens to a request
// in an infer.Trace. This package only asks for traces and writes them.
package tracing
