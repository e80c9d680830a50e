package onnx

import (
	"conch/configedit/derive"
	"conch/engine/backend"
)

// Describe is what the session of a model of this backend says about itself.
func Describe(m backend.Model) *derive.ONNXModel { return m.(*model).opened(placement{}).Model() }

// PoolsOf bounds sizes of pools.
var PoolsOf = poolsOf

// What providers are told for what configs say.
var (
	CUDASettings     = cudaSettings
	TensorRTSettings = tensorRTSettings
)
