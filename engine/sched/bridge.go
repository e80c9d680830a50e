package sched

import (
	"conch/configedit/modelconfig"
	"conch/engine/tensor"
)

// bridge returns the shape that the other side expects where one side batches and the other does not. A
// batch of one gets or loses its batch dimension; other shapes stay as they are (Triton's ensemble
// scheduler, ReshapeTensorDims).
func bridge(shape tensor.Shape, batched bool, dims tensor.Shape, batches bool) tensor.Shape {
	switch {
	case batched == batches:
		return shape
	case batches && matchesEither(shape, dims):
		return append(tensor.Shape{1}, shape...)
	case !batches && len(shape) == len(dims)+1 && shape[0] == 1:
		return shape[1:]
	}
	return shape
}

// matchesEither compares two shapes. -1 in either shape matches any extent.
func matchesEither(a, b tensor.Shape) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && a[i] != -1 && b[i] != -1 {
			return false
		}
	}
	return true
}

// stepDims returns the dims of an input of a step's model. It returns nil for an input that the
// model does not have; the model's own validation refuses the request then.
func stepDims(cfg *modelconfig.ModelConfig, input string) tensor.Shape {
	for _, in := range cfg.Input {
		if in.Name == input {
			return tensor.Shape(in.Dims)
		}
	}
	return nil
}
