package model

import (
	"conch/engine/infer"
	"conch/engine/tensor"
)

// wantedOf leaves out what the client did not ask for, in place.
func wantedOf(r *infer.Request, outputs []tensor.Tensor) []tensor.Tensor {
	kept := outputs[:0]
	for i := range outputs {
		if r.Wants(outputs[i].Name) {
			kept = append(kept, outputs[i])
		}
	}
	return kept
}

// classesOf is how many classes of an output were asked for; 0 for the tensor as it is.
func classesOf(r *infer.Request, name string) uint32 {
	for i := range r.Outputs {
		if r.Outputs[i].Name == name {
			return r.Outputs[i].Classes
		}
	}
	return 0
}
