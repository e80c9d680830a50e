package language

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
)

// side is what the model file has as inputs or outputs.
func (c *comparison) side(name string) []derive.ONNXTensor {
	if c.file == nil {
		return nil
	}
	if name == "output" {
		return c.file.Outputs
	}
	return slices.Concat(c.file.Inputs, c.file.Overridable)
}

// tensor adds to the fields of an input or output what the model file says of it.
func (c *comparison) tensor(side string, i int) {
	name, typ, dims := c.declared(side, i)
	shape := Compared{Label: "shape in requests", Depth: 1, Effective: shapeText(shape(c.effective, dims))}
	if len(dims) == 0 {
		shape.Effective = ""
	}
	list := c.side(side)
	at := slices.IndexFunc(list, func(t derive.ONNXTensor) bool { return t.Name == name })
	if at < 0 {
		if c.file != nil {
			c.last("input", "output").Differs = true
			shape.ModelFile, shape.Differs = "no such "+side, true
		}
		c.fields = append(c.fields, shape)
		return
	}
	file := &list[at]
	shape.ModelFile = symbols(file)
	shape.Differs = file.Shaped && !goes(side, shapeOf(c.effective, side, i), file.Sizes())
	c.fields = append(c.fields, shape)
	if row := c.field("data_type"); row != nil {
		row.ModelFile, row.Differs = file.Type.String(), file.Type != typ
	}
}

// declared are name, type and dims of an input or output of the effective config.
func (c *comparison) declared(side string, i int) (string, modelconfig.DataType, []int64) {
	if side == "input" {
		in := c.effective.Input[i]
		return in.Name, in.DataType, in.Dims
	}
	out := c.effective.Output[i]
	return out.Name, out.DataType, out.Dims
}

// shapeOf is what the model itself gets: reshape counts where there is one (triton-config C.7).
func shapeOf(cfg *modelconfig.ModelConfig, side string, i int) []int64 {
	var dims []int64
	var reshape *modelconfig.ModelTensorReshape
	if side == "input" {
		dims, reshape = cfg.Input[i].Dims, cfg.Input[i].Reshape
	} else {
		dims, reshape = cfg.Output[i].Dims, cfg.Output[i].Reshape
	}
	if reshape != nil {
		dims = reshape.Shape
	}
	return shape(cfg, dims)
}

// goes tells whether ONNX Runtime takes a shape for what the file says: a dimension of the file that varies takes any
// for an input, and only -1 for an output (triton-config C.7).
func goes(side string, config, file []int64) bool {
	if len(file) == 0 { // a scalar: anything of one element
		return !slices.ContainsFunc(config, func(n int64) bool { return n != 1 && n != -1 })
	}
	if len(config) != len(file) {
		return false
	}
	for i := range file {
		if config[i] != file[i] && (file[i] != -1 || side == "output") {
			return false
		}
	}
	return true
}

// field is the row of a field of the element that was added last.
func (c *comparison) field(label string) *Compared {
	for i := len(c.fields) - 1; i >= 0 && !(c.fields[i].Group && c.fields[i].Depth == 0); i-- {
		if c.fields[i].Label == label && c.fields[i].Depth == 1 {
			return &c.fields[i]
		}
	}
	return nil
}

// last is the heading of the element that was added last.
func (c *comparison) last(sides ...string) *Compared {
	for i := len(c.fields) - 1; i >= 0; i-- {
		word, _, _ := strings.Cut(c.fields[i].Label, " ")
		if c.fields[i].Group && c.fields[i].Depth == 0 && slices.Contains(sides, word) {
			return &c.fields[i]
		}
	}
	return &Compared{}
}

// unlisted adds the tensors that only the model file has.
func (c *comparison) unlisted() {
	if c.file == nil {
		return
	}
	known := map[string]bool{}
	for _, t := range c.effective.Input {
		known["input "+t.Name] = true
	}
	for _, t := range c.effective.Output {
		known["output "+t.Name] = true
	}
	add := func(side string, list []derive.ONNXTensor, needed bool) {
		for i := range list {
			t := &list[i]
			if known[side+" "+t.Name] {
				continue
			}
			c.fields = append(c.fields,
				Compared{Label: side + " " + t.Name, Group: true, Differs: needed},
				Compared{Label: "data_type", Depth: 1, ModelFile: t.Type.String()},
				Compared{Label: "shape in requests", Depth: 1, ModelFile: symbols(t)})
		}
	}
	add("input", c.file.Inputs, true)
	add("input", c.file.Overridable, false)
	add("output", c.file.Outputs, false)
}

// batches says what the model file makes possible: batching needs a first dimension that varies, everywhere.
func (c *comparison) batches() (words string, differs bool) {
	for _, t := range slices.Concat(c.file.Inputs, c.file.Outputs) {
		if t.Shaped && (len(t.Dims) == 0 || t.Dims[0].Size != -1) {
			return "no batches", c.effective.GetMaxBatchSize() > 0
		}
	}
	return "any batch", false
}

// symbols writes the shape of a tensor of the file with the names that it has for what varies.
func symbols(t *derive.ONNXTensor) string {
	if !t.Shaped {
		return "any shape"
	}
	words := make([]string, len(t.Dims))
	for i, d := range t.Dims {
		words[i] = fmt.Sprint(d.Size)
		if d.Size == -1 && d.Symbol != "" {
			words[i] = d.Symbol
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

func shapeText(dims []int64) string {
	words := make([]string, len(dims))
	for i, d := range dims {
		words[i] = fmt.Sprint(d)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
