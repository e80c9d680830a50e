// Package ort calls ONNX Runtime. No other package does, and no other uses its Go binding
// (github.com/yalue/onnxruntime_go). The binding makes session options, with execution providers and
// libraries of operators. The package calls the C API for what the binding does not do well: it opens
// the library from a path, makes sessions with error numbers and a description of their tensors, and
// runs them. A run enters C once, reads inputs without a copy, borrows outputs, and takes every data
// type.
//
// The binding and the C API use the same library and environment, which live as long as the process.
// When an open fails, nothing stays open.
//
// A Session may be used by many goroutines, a Runner by one at a time. A Session's Close waits for
// running executions, because the process crashes when a session is destroyed during a run.
package ort
