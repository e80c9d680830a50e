package check

import (
	"conch/configedit/backends"
	"conch/configedit/modelfile"
)

// fileTensors are what the model file has, nil where nothing is known.
func (c *checker) fileTensors() *modelfile.ONNX {
	switch c.cfg.GetBackend() {
	case backends.ONNXRuntime:
		return c.m.Facts.ONNX
	case backends.TensorFlow:
		return c.savedSignatureTensors()
	}
	return nil
}

// onnxTensor is the model file's tensor of that name, nil where nothing is known.
func (c *checker) onnxTensor(t *tensor) *modelfile.Tensor {
	model := c.fileTensors()
	if model == nil {
		return nil
	}
	lists := [][]modelfile.Tensor{model.Inputs, model.Overridable}
	if t.side == "output" {
		lists = [][]modelfile.Tensor{model.Outputs}
	}
	for _, list := range lists {
		for i := range list {
			if list[i].Name == t.name {
				return &list[i]
			}
		}
	}
	return nil
}

// onnxDims are the dims that a tensor would need to fit the model file, nil where that cannot be told.
func (c *checker) onnxDims(t *tensor) []int64 {
	onnx := c.onnxTensor(t)
	if onnx == nil || !onnx.Shaped || t.reshape != nil {
		return nil
	}
	dims := onnx.Sizes()
	if c.cfg.GetMaxBatchSize() > 0 {
		if len(dims) == 0 || dims[0] != -1 {
			return nil
		}
		dims = dims[1:]
	}
	if len(dims) == 0 {
		return []int64{1}
	}
	return dims
}
