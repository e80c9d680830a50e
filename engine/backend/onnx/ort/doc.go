// Package ort calls ONNX Runtime's C API: it opens the library from a path, makes sessions with
// error numbers and a description of their tensors, and runs them: one crossing into C a run, inputs
// read where they lie, outputs borrowed instead of copied, every data type. No Go binding is used.
//
// The library and its environment live as long as the process. What fails to open leaves nothing
// open behind it.
//
// A Session may be used by many goroutines, a Runner by one at a time. A
// Session's Close waits for runs in flight: destroying a session under a run kills the process.
package ort
