package sched

import (
	"bytes"
	"slices"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// alike reports whether two requests may run in one batch (docs/triton/schedulers.md, "What may run
// together"): they have the same inputs, with the same types and, unless they are ragged, the same
// shapes behind the batch dimension.
func (b *Batching) alike(first, next *infer.Request) bool {
	if len(first.Inputs) != len(next.Inputs) {
		return false
	}
	for i := range first.Inputs {
		x, y := &first.Inputs[i], &next.Inputs[i]
		if x.Name != y.Name {
			if y = next.Input(x.Name); y == nil {
				return false
			}
		}
		if x.Type != y.Type || !b.fit(x, y) {
			return false
		}
	}
	return true
}

// fit compares what two requests give for one input.
func (b *Batching) fit(x, y *tensor.Tensor) bool {
	switch {
	case b.Ragged[x.Name]:
		return true
	case b.ByContent[x.Name]:
		return slices.Equal(x.Shape, y.Shape) && bytes.Equal(x.Data, y.Data)
	}
	return slices.Equal(item(x), item(y))
}

// item is the shape of one item of a batch.
func item(t *tensor.Tensor) tensor.Shape {
	if len(t.Shape) == 0 {
		return nil
	}
	return t.Shape[1:]
}
