package check

import (
	"conch/configedit/backends"
	"conch/configedit/modelfile"
)

// fileTensors returns the tensors of the model file, or nil if they are unknown.
func (c *checker) fileTensors() *modelfile.ONNX {
	switch c.cfg.GetBackend() {
	case backends.ONNXRuntime:
		return c.m.Facts.ONNX
	case backends.TensorFlow:
		return c.savedSignatureTensors()
	case backends.OpenVINO:
		return c.openVINOTensors()
	}
	return nil
}

// onnxTensor returns the model file's tensor with a name, or nil if it is unknown.
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

// onnxDims returns the dims that a tensor needs to fit the model file, or nil if they are unknown.
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
