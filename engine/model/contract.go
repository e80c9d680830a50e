package model

import (
	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// contract is the inputs and outputs of a config, in a form that makes checks of requests fast.
type contract struct {
	model    string
	maxBatch int64 // 0: the model does not batch
	inputs   []port
	outputs  []port
	byInput  map[string]int
	byOutput map[string]int
	required int  // inputs that are not optional
	measured bool // its backend takes the batch size of a request from the first input
	reshapes bool
}

// port is an input or output of the model.
type port struct {
	name     string
	datatype tensor.DataType
	dims     tensor.Shape // as clients see it, without the batch dimension
	reshape  tensor.Shape // as the framework sees it
	reshaped bool
	optional bool
}

func newContract(cfg *modelconfig.ModelConfig) *contract {
	c := &contract{
		model: cfg.Name, maxBatch: int64(cfg.MaxBatchSize),
		byInput: map[string]int{}, byOutput: map[string]int{},
		// A sequence's request gets controls, which are inputs, and an ensemble has no backend.
		measured: cfg.MaxBatchSize > 0 && cfg.GetSequenceBatching() == nil && cfg.GetEnsembleScheduling() == nil,
	}
	for _, in := range cfg.Input {
		p := newPort(in)
		p.optional = in.Optional
		if _, twice := c.byInput[in.Name]; !twice { // as in Triton, the first one counts
			c.byInput[in.Name] = len(c.inputs)
		}
		c.inputs = append(c.inputs, p)
		c.reshapes = c.reshapes || p.reshaped
		if !in.Optional {
			c.required++
		}
	}
	for _, out := range cfg.Output {
		p := newPort(out)
		if _, twice := c.byOutput[out.Name]; !twice {
			c.byOutput[out.Name] = len(c.outputs)
		}
		c.outputs = append(c.outputs, p)
	}
	return c
}

// declared is an input or an output of a config.
type declared interface {
	*modelconfig.ModelInput | *modelconfig.ModelOutput
	GetName() string
	GetDataType() modelconfig.DataType
	GetDims() []int64
	GetReshape() *modelconfig.ModelTensorReshape
}

func newPort[D declared](d D) port {
	return port{
		name: d.GetName(), datatype: tensor.DataType(d.GetDataType()), dims: tensor.Shape(d.GetDims()),
		reshaped: d.GetReshape() != nil, reshape: tensor.Shape(d.GetReshape().GetShape()),
	}
}

// full returns the shape with the batch dimension, as clients see it.
func (c *contract) full(p *port) tensor.Shape {
	if c.maxBatch == 0 {
		return p.dims
	}
	return append(tensor.Shape{-1}, p.dims...)
}

// output returns the output with a name, or nil.
func (c *contract) output(name string) *port {
	i, ok := c.byOutput[name]
	if !ok {
		return nil
	}
	return &c.outputs[i]
}

// Described is a tensor of the model as clients send or get it.
type Described struct {
	Name     string
	Datatype tensor.DataType
	Shape    tensor.Shape // with the batch dimension
}

func (c *contract) describe(ports []port) []Described {
	list := make([]Described, len(ports))
	for i := range ports {
		list[i] = Described{Name: ports[i].name, Datatype: ports[i].datatype, Shape: c.full(&ports[i])}
	}
	return list
}

// reshapeInputs returns the request for the framework: inputs with a `reshape` in the config get another shape, with the
// same bytes. The client's request does not change.
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

// reshapeOutput gives an output the shape for clients.
func (c *contract) reshapeOutput(out *tensor.Tensor, p *port) {
	if p.reshaped {
		out.Shape = c.swap(out.Shape, p.reshape, p.dims)
	}
}

// swap turns a shape that matches from into one that matches to. The batch dimension keeps its place.
func (c *contract) swap(shape, from, to tensor.Shape) tensor.Shape {
	return modelconfig.Reshaped(shape, int(min(c.maxBatch, 1)), from, to)
}
