// Package tracing is Triton's trace extension (triton-runtime A12): which requests are traced, with settings for all
// models and for each, and the file their traces are written to. It also keeps the tensors of requests that the
// workbench traces. What happens to a request notes itself, in an infer.Trace; here it is only asked for and written.
package tracing
