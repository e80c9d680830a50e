// Package ort is the only one that calls ONNX Runtime, and the only one that knows its Go binding
// (github.com/yalue/onnxruntime_go). The binding makes session options, with execution providers and
// libraries of operators. The C API is called for what the binding does not do well: opening the library
// from a path, sessions with error numbers and a description of their tensors, and runs: one crossing
// into C a run, inputs read where they lie, outputs borrowed instead of copied, every data type.
//
// Both use the same library and environment, which live as long as the process. What fails to open
// leaves nothing open behind it.
//
// A Session may be used by many goroutines, a Runner by one at a time. A
// Session's Close waits for runs in flight: destroying a session under a run kills the process.
package ort
