package sched

import (
	"conch/configedit/modelconfig"
	"conch/engine/tensor"
)

// bridge turns a tensor's shape into what the other side expects where one batches and the other does not: a
// batch of one gets its dimension or loses it; anything else stays as it is (Triton's ensemble scheduler,
// ReshapeTensorDims).
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

// matchesEither compares with -1 standing for anything, in either shape.
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

// stepDims are the dims of a step model's input; nil for one it does not have, which its own
// validation then refuses.
func stepDims(cfg *modelconfig.ModelConfig, input string) tensor.Shape {
	for _, in := range cfg.Input {
		if in.Name == input {
			return tensor.Shape(in.Dims)
		}
	}
	return nil
}
