package model

import (
	"cmp"

	"conch/engine/tensor"
)

// Described is a tensor of the model as clients must send or will get it.
type Described struct {
	Name     string
	Datatype tensor.DataType
	Shape    tensor.Shape // with the batch dimension
}

// Platform is what the metadata say: the config's platform, or the backend where there is none
// (docs/triton/http.md, "Metadata and config").
func (v *Version) Platform() string { return cmp.Or(v.Config.Platform, v.Config.Backend) }

// Inputs are the model's inputs, in the config's order.
func (v *Version) Inputs() []Described { return v.contract.describe(v.contract.inputs) }

// Outputs are the model's outputs, in the config's order.
func (v *Version) Outputs() []Described { return v.contract.describe(v.contract.outputs) }

func (c *contract) describe(ports []port) []Described {
	list := make([]Described, len(ports))
	for i := range ports {
		list[i] = Described{Name: ports[i].name, Datatype: ports[i].datatype, Shape: c.full(&ports[i])}
	}
	return list
}
