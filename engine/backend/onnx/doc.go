// Package onnx runs ONNX models with ONNX Runtime, as Triton's onnxruntime backend does: the same
// options, the same checks of a config against the model, and the same error messages
// (docs/triton/onnx.md).
//
// ONNX Runtime is a shared library. It is found and opened when the first model is loaded; without it
// only ONNX models fail. A model has one session for each place where it runs, the CPU or a GPU. All
// instances at a place share its session. A request that runs alone is not copied; the requests of a
// batch are copied into one tensor. Answers borrow ONNX Runtime's memory until their Release; the
// answers of a batch are views of one result.
//
// For the package, each device is an Accelerator. The optimized form of large models is kept on disk
// (package optimized).
package onnx
