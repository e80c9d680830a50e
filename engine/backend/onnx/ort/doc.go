// Package ort calls ONNX Runtime's C API for what its Go binding
// (github.com/yalue/onnxruntime_go) does not do well: opening the library from a
// path, sessions with error numbers and a description of their tensors, and the
// run path: one crossing into C a run, inputs read where they lie, outputs borrowed
// instead of copied, every data type.
//
// The binding still makes session options, execution providers included; both
// use the same library and environment, which live as long as the process.
//
// A Session may be used by many goroutines, a Runner by one at a time. A
// Session's Close waits for runs in flight: destroying a session under a run kills the process.
package ort
