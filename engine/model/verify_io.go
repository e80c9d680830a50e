package model

import (
	"math"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// checkTensorsOf is ValidateModelIOConfig (triton-config B.6, rules IO1 to IO12), which Triton runs at load.
func checkTensorsOf(cfg *modelconfig.ModelConfig) error {
	for _, in := range cfg.Input {
		if err := checkTensor(cfg, declared{"model input ", in.Name, in.DataType, in.Dims, in.Reshape}); err != nil {
			return err
		}
		if in.Format != modelconfig.ModelInput_FORMAT_NONE && len(in.Dims) != 3 {
			return infer.Errorf(infer.InvalidArg, "model input NHWC/NCHW require 3 dims for %s", cfg.Name)
		}
		if in.IsShapeTensor && cfg.Platform != "tensorrt_plan" {
			return infer.Errorf(infer.InvalidArg, "shape tensors are only supported for TensorRT platform for %s", cfg.Name)
		}
	}
	for _, out := range cfg.Output {
		if err := checkTensor(cfg, declared{"model output ", out.Name, out.DataType, out.Dims, out.Reshape}); err != nil {
			return err
		}
		if out.IsShapeTensor && cfg.Platform != "tensorrt_plan" {
			return infer.Errorf(infer.InvalidArg, "shape tensors are only supported for TensorRT platform for %s", cfg.Name)
		}
	}
	return nil
}

// declared is what an input and an output of a config have in common.
type declared struct {
	side     string
	name     string
	datatype modelconfig.DataType
	dims     []int64
	reshape  *modelconfig.ModelTensorReshape
}

func checkTensor(cfg *modelconfig.ModelConfig, t declared) error {
	fault := ""
	switch {
	case t.name == "":
		return infer.Errorf(infer.InvalidArg, "%smust specify 'name' for %s", t.side, cfg.Name)
	case t.datatype == modelconfig.DataType_TYPE_INVALID:
		fault = "must specify 'data_type'"
	case len(t.dims) == 0:
		fault = "must specify 'dims'"
	case t.reshape != nil && len(t.reshape.Shape) == 0 && cfg.MaxBatchSize == 0:
		fault = "cannot have empty reshape for non-batching model as scalar tensors are not supported"
	case !dimsValid(t.dims):
		fault = "dimension must be integer >= 1, or -1 to indicate a variable-size dimension"
	case !dimsValid(t.reshape.GetShape()):
		fault = "reshape dimensions must be integer >= 1, or -1 to indicate a variable-size dimension"
	case t.reshape != nil:
		fault = checkReshape(t.dims, t.reshape.Shape)
	}
	if fault == "" {
		return nil
	}
	return infer.Errorf(infer.InvalidArg, "%s'%s' %s for %s", t.side, t.name, fault, cfg.Name)
}

func dimsValid(dims []int64) bool {
	for _, d := range dims {
		if d < 1 && d != -1 {
			return false
		}
	}
	return true
}

// checkReshape are the rules IO7 to IO9.
func checkReshape(dims, shape []int64) string {
	const size = "has different size for dims and reshape"
	from, to := runs(dims), runs(shape)
	switch {
	case len(shape) == 0:
		if len(from) == 1 && from[0] == 1 {
			return ""
		}
		return size
	case (len(from) == 1) != (len(to) == 1):
		return size
	case len(from) != len(to):
		return "has different number of variable-size dimensions for dims and reshape"
	}
	for i := range from {
		if from[i] != to[i] {
			return size
		}
	}
	return ""
}

// runs are the products of the extents before, between and behind the variable ones.
func runs(dims []int64) []int64 {
	products := []int64{1}
	for _, d := range dims {
		last := len(products) - 1
		switch {
		case d == -1:
			products = append(products, 1)
		case products[last] > math.MaxInt64/d:
			products[last] = math.MaxInt64
		default:
			products[last] *= d
		}
	}
	return products
}
