// Package onnx runs ONNX models on the CPU with ONNX Runtime, behaving as
// Triton's onnxruntime backend does: the same options, the same checks of config
// against model, the same sentences when something is wrong (triton-config C.6 to C.9).
//
// ONNX Runtime is a shared library that is found and opened when the first model
// is loaded; without it only ONNX models fail. One session serves all instances of
// a model. A request that is not batched is read where it lies; answers borrow
// ONNX Runtime's memory until their Release.
package onnx
