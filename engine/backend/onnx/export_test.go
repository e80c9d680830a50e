package onnx

import (
	"log/slog"

	"conch/configedit/modelfile"
	"conch/engine/backend"
)

// Describe is what the session of a model of this backend says about itself.
func Describe(m backend.Model) *modelfile.ONNX { return m.(*model).opened(placement{}).Model() }

// PoolsOf bounds sizes of pools.
var PoolsOf = poolsOf

// CUDASettings is what the CUDA provider is told for what configs say.
func CUDASettings(use AcceleratorUse) (map[string]string, error) {
	return cudaSettings(slog.New(slog.DiscardHandler), use)
}

// TensorRTSettings is what the TensorRT provider is told.
func TensorRTSettings(use AcceleratorUse) (map[string]string, error) {
	return tensorRTSettings(slog.New(slog.DiscardHandler), use)
}
