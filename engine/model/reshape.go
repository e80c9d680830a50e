package model

import (
	"conch/engine/infer"
	"conch/engine/tensor"
)

// reshapeInputs gives the request as the framework wants it: inputs with a `reshape` in the config change
// their shape, never their bytes. The client's own request stays as it is.
func (c *contract) reshapeInputs(r *infer.Request) *infer.Request {
	if !c.reshapes {
		return r
	}
	changed := *r
	changed.Inputs = append([]tensor.Tensor(nil), r.Inputs...)
	for i := range changed.Inputs {
		in := &changed.Inputs[i]
		if p := &c.inputs[c.byInput[in.Name]]; p.reshaped {
			in.Shape = c.swap(in.Shape, p.dims, p.reshape)
		}
	}
	return &changed
}

// reshapeOutput is the way back.
func (c *contract) reshapeOutput(out *tensor.Tensor, p *port) {
	if p.reshaped {
		out.Shape = c.swap(out.Shape, p.reshape, p.dims)
	}
}

// swap turns a shape that fits from into the one that fits to: the variable extents keep their order, the
// batch dimension its place. A shape that does not fit is left alone.
func (c *contract) swap(shape, from, to tensor.Shape) tensor.Shape {
	lead := min(len(shape), 1)
	if c.maxBatch == 0 {
		lead = 0
	}
	item := shape[lead:]
	if !item.Matches(from) {
		return shape
	}
	var variable []int64
	for i, d := range from {
		if d == -1 {
			variable = append(variable, item[i])
		}
	}
	result := append(make(tensor.Shape, 0, lead+len(to)), shape[:lead]...)
	for _, d := range to {
		if d == -1 && len(variable) > 0 {
			d, variable = variable[0], variable[1:]
		}
		result = append(result, d)
	}
	return result
}
