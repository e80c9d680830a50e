// Package onnx runs ONNX models with ONNX Runtime, as Triton's onnxruntime backend does: the same
// options, the same checks of a config against the model, the same sentences when something is
// wrong (docs/triton/onnx.md).
//
// ONNX Runtime is a shared library that is found and opened when the first model is loaded; without
// it only ONNX models fail. A model has one session for each place that it runs at, the CPU or a
// GPU, which all instances there share. A request that runs alone is read where it lies; the
// requests of a batch are copied together once. Answers borrow ONNX Runtime's memory until their
// Release, those of a batch as views of one result.
//
// The package knows devices only as an Accelerator each. Large models are kept on disk as they were
// optimized (package optimized).
package onnx
