package onnx

import (
	"conch/configedit/modelfile"
	"conch/engine/backend"
)

// Describe is what the session of a model of this backend says about itself.
func Describe(m backend.Model) *modelfile.ONNX { return m.(*model).opened(placement{}).Model() }

// PoolsOf bounds sizes of pools.
var PoolsOf = poolsOf

// What providers are told for what configs say.
var (
	CUDASettings     = cudaSettings
	TensorRTSettings = tensorRTSettings
)
