// Package onnx runs ONNX models with ONNX Runtime, behaving as Triton's
// onnxruntime backend does: the same options, the same checks of config
// against model, the same sentences when something is wrong (triton-config C.6 to C.9).
//
// ONNX Runtime is a shared library that is found and opened when the first model
// is loaded; without it only ONNX models fail. A model has one session for each place
// that it runs at, the CPU or a GPU, which all instances there share. A request that is
// not batched is read where it lies, a batch is gathered once; answers borrow ONNX
// Runtime's memory until their Release, those of a batch as views of one result.
//
// What the package does not know by itself are devices: each is an Accelerator. Large models
// are kept on disk as they were optimized (package optimized).
package onnx
