package model

import (
	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// contract is what a config promises to clients, in the form in which requests are checked against it.
type contract struct {
	model    string
	maxBatch int64 // 0: the model does not batch
	inputs   []port
	outputs  []port
	byInput  map[string]int
	byOutput map[string]int
	required int // inputs that are not optional
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
	}
	for _, in := range cfg.Input {
		p := newPort(in)
		p.optional = in.Optional
		if _, twice := c.byInput[in.Name]; !twice { // as in Triton, the first of two counts
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

// declared is what an input and an output of a config have in common.
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

// full is the shape with the batch dimension, as it is shown to clients.
func (c *contract) full(p *port) tensor.Shape {
	if c.maxBatch == 0 {
		return p.dims
	}
	return append(tensor.Shape{-1}, p.dims...)
}

// output finds an output by name, or nil.
func (c *contract) output(name string) *port {
	i, ok := c.byOutput[name]
	if !ok {
		return nil
	}
	return &c.outputs[i]
}

// refuse makes the error of a request. Most of them begin with its id (docs/triton/requests.md,
// "Checks").
func refuse(r *infer.Request, format string, args ...any) error {
	return infer.Errorf(infer.InvalidArg, "[request id: "+escapePercent(r.IDForPeople())+"] "+format, args...)
}

// escapePercent keeps a client's id out of the format.
func escapePercent(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] == '%' {
			out = append(out, '%')
		}
		out = append(out, s[i])
	}
	return string(out)
}
