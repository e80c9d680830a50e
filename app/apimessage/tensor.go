package apimessage

import (
	"conch/app/api"
	"conch/app/language"
)

// Tensors converts a model's inputs or outputs.
func Tensors(list []language.Tensor) []*api.TensorSpec {
	out := make([]*api.TensorSpec, 0, len(list))
	for _, t := range list {
		out = append(out, &api.TensorSpec{Name: t.Name, Datatype: t.Datatype, Dims: t.Dims, Shape: t.Shape, Optional: t.Optional})
	}
	return out
}
