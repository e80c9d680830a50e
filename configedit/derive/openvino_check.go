package derive

import (
	"strings"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// CheckOpenVINO compares a completed config with the model file as Triton's OpenVINO backend does when it makes an instance
// (docs/triton/backends.md, "OpenVINO"). The first problem is the one that Triton would report; the others are what it would find
// next, and after them what it takes though values are lost. With autoComplete the backend adds inputs that the config leaves out.
func CheckOpenVINO(cfg *modelconfig.ModelConfig, model *modelfile.OpenVINO, autoComplete bool) []*Problem {
	c := &openVINOCheck{cfg: cfg, model: model, reshapes: strings.EqualFold(cfg.GetParameters()["RESHAPE_IO_LAYERS"].GetStringValue(), "yes")}
	if len(cfg.Input) > 0 || !autoComplete {
		c.count()
	}
	for i, in := range cfg.Input {
		dims, field := shapeOf(in.Dims, in.Reshape)
		c.tensor(place{"input", i, in.Name, field}, in.DataType, dims, model.Inputs)
	}
	for i, out := range cfg.Output {
		dims, field := shapeOf(out.Dims, out.Reshape)
		c.tensor(place{"output", i, out.Name, field}, out.DataType, dims, model.Outputs)
	}
	return append(c.problems, c.lossy...)
}

type openVINOCheck struct {
	cfg             *modelconfig.ModelConfig
	model           *modelfile.OpenVINO
	reshapes        bool // the inputs of the model get the dims of the config
	problems, lossy []*Problem
}

func (c *openVINOCheck) add(p *Problem) {
	if p.Code == "" {
		p.Code = p.Rule.Status
	}
	c.problems = append(c.problems, p)
}

func (c *openVINOCheck) count() {
	if len(c.cfg.Input) != len(c.model.Inputs) {
		c.add(&Problem{
			Rule: rule.OV1, Path: at("input"), Allowed: names(c.model.Inputs),
			Triton: rule.OV1.Sentence(c.cfg.Name, len(c.cfg.Input), len(c.model.Inputs)),
		})
	}
}

func (c *openVINOCheck) tensor(p place, typ modelconfig.DataType, dims []int64, tensors []modelfile.Tensor) {
	if len(c.problems) >= enoughProblems {
		return
	}
	t, unknown := named(rule.OV2, p, tensors)
	if unknown != nil {
		c.add(unknown)
		return
	}
	c.dataType(p, typ, t)
	c.dims(p, dims, t)
}

// dataType leaves a missing type to other rules. The tensor gets the type of the config, and OpenVINO converts its values.
func (c *openVINOCheck) dataType(p place, typ modelconfig.DataType, t *modelfile.Tensor) {
	path := at(p.side, p.i, "data_type")
	_, known := elements[typ]
	switch {
	case typ == modelconfig.DataType_TYPE_INVALID:
	case !known || typ == modelconfig.DataType_TYPE_FP64:
		c.add(&Problem{Rule: rule.OV3, Path: path, Tensor: t, Triton: rule.OV3.Sentence(typ, p.side, p.name, c.cfg.Name)})
	case p.side == "input" && loses(typ, t.Type), p.side == "output" && loses(t.Type, typ):
		c.lossy = append(c.lossy, &Problem{Rule: rule.OV5, Path: path, Tensor: t, Late: true})
	}
}

// element is what a type of elements can hold: whole numbers of so many bits, and perhaps negative ones or fractions.
type element struct {
	bits               int
	negative, fraction bool
}

// elements are the types that OpenVINO has.
var elements = map[modelconfig.DataType]element{
	modelconfig.DataType_TYPE_BOOL:  {bits: 1},
	modelconfig.DataType_TYPE_UINT8: {bits: 8}, modelconfig.DataType_TYPE_UINT16: {bits: 16},
	modelconfig.DataType_TYPE_UINT32: {bits: 32}, modelconfig.DataType_TYPE_UINT64: {bits: 64},
	modelconfig.DataType_TYPE_INT8: {bits: 7, negative: true}, modelconfig.DataType_TYPE_INT16: {bits: 15, negative: true},
	modelconfig.DataType_TYPE_INT32: {bits: 31, negative: true}, modelconfig.DataType_TYPE_INT64: {bits: 63, negative: true},
	modelconfig.DataType_TYPE_FP16: {11, true, true}, modelconfig.DataType_TYPE_FP32: {24, true, true},
	modelconfig.DataType_TYPE_FP64: {53, true, true},
}

// loses reports whether a conversion makes other numbers of some values. Less precise fractions are still the same number to people,
// and so are whole numbers that become fractions.
func loses(from, to modelconfig.DataType) bool {
	a, b := elements[from], elements[to]
	switch {
	case a == (element{}) || b == (element{}) || b.fraction:
		return false
	}
	return a.fraction || a.negative && !b.negative || a.bits > b.bits
}

// dims compares a tensor's dims in config and file. The backend sets the batch dimension itself.
func (c *openVINOCheck) dims(p place, dims []int64, t *modelfile.Tensor) {
	if !t.Shaped || c.reshapes {
		return
	}
	batches := c.cfg.MaxBatchSize > 0
	path := at(p.side, p.i, p.shapeField)
	if batches && len(t.Dims) == 0 {
		c.add(&Problem{Rule: rule.OV4, Path: path, Tensor: t, Triton: rule.OV4.Other(1, c.cfg.Name, p.name)})
		return
	}
	if c.fits(p.side, dims, t) {
		return
	}
	full, written, has := dims, "shape ", t.Sizes()
	if batches {
		full = append([]int64{int64(c.cfg.MaxBatchSize)}, dims...)
		written = "an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete shape "
		if p.side == "output" { // it is looked at when the batch dimension has been set
			has[0] = full[0]
		}
	}
	c.add(&Problem{
		Rule: rule.OV4, Path: path, Tensor: t,
		Triton: rule.OV4.Sentence(c.cfg.Name, p.name, len(has), shape(has), len(full), written+shape(full)),
	})
}

// fits reports whether the file's tensor takes the config's dims. With batches, -1 stands for any size of an input. Numbers of outputs
// may come from a batch size that the file fixes, and change with it.
func (c *openVINOCheck) fits(side string, dims []int64, t *modelfile.Tensor) bool {
	has, batches := t.Sizes(), c.cfg.MaxBatchSize > 0
	if batches {
		has = has[1:]
	}
	if len(has) != len(dims) {
		return false
	}
	for i, size := range has {
		open := size == -1 || batches && (side == "output" && c.rebatched() || side == "input" && dims[i] == -1)
		if !open && size != dims[i] {
			return false
		}
	}
	return true
}

// rebatched reports whether an input has another batch size in the file.
func (c *openVINOCheck) rebatched() bool {
	for _, t := range c.model.Inputs {
		if len(t.Dims) > 0 && t.Dims[0].Size != -1 && t.Dims[0].Size != int64(c.cfg.MaxBatchSize) {
			return true
		}
	}
	return false
}
