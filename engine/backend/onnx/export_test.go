package onnx

import (
	"conch/configedit/derive"
	"conch/configedit/modelfile"
	"conch/engine/backend"
	"conch/engine/hostpolicy"
)

// Describe is what the session of a model of this backend says about itself.
func Describe(m backend.Model) *modelfile.ONNX { return m.(*model).opened(seat{}).Model() }

// HalfModel is the model that is tried where WebGPU may lack FP16.
const HalfModel = halfModel

// PoolsOf bounds sizes of pools.
var PoolsOf = poolsOf

// CUDASettings is what the CUDA provider is told for what configs say.
func CUDASettings(use AcceleratorUse) (map[string]string, error) {
	return cudaSettings(use)
}

// TensorRTSettings is what the TensorRT provider is told.
func TensorRTSettings(use AcceleratorUse) (map[string]string, error) {
	return tensorRTSettings(use)
}

// IntraOf is the number of threads of a session whose config names none.
func IntraOf(p hostpolicy.Policy) int { return intraOf(derive.ONNXOptions{}, p) }

// OpenModels is how many models of a backend are loaded.
func OpenModels(b *Backend) (count int) {
	b.models.Range(func(any, any) bool {
		count++
		return true
	})
	return count
}

// OpenSessions is how many sessions a model has.
func OpenSessions(m backend.Model) int {
	own := m.(*model)
	own.mu.Lock()
	defer own.mu.Unlock()
	return len(own.sessions)
}
