package derive

import (
	"slices"
	"strings"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// CheckTorch compares a completed config with a TorchScript archive as Triton's PyTorch backend
// does when it makes an instance (docs/triton/backends.md, "TorchScript"). model may be nil: then
// only what the config decides by itself is checked. The first problem that is not Late is the one
// that Triton would report.
func CheckTorch(cfg *modelconfig.ModelConfig, model *modelfile.TorchScript) []*Problem {
	c := &torchCheck{cfg: cfg, problems: torchOptions(cfg)}
	switch {
	case model == nil || !model.Known:
	case !model.Forward:
		c.add(&Problem{Rule: rule.PT10, Path: at("default_model_filename"), Allowed: []string{model.Class}})
	default:
		c.model = model
	}
	c.controls()
	if !c.arguments() || c.count() {
		c.some("input", len(cfg.Input))
	}
	c.states("input")
	c.inputNames()
	c.tensors("input")
	c.some("output", len(cfg.Output))
	c.states("output")
	c.outputNames()
	c.tensors("output")
	return c.problems
}

// torchOptions: PT11. The values of the parameters that the backend reads.
func torchOptions(cfg *modelconfig.ModelConfig) []*Problem {
	p := &optionParser{rule: rule.PT11, parameters: cfg.GetParameters()}
	for _, key := range [...]string{
		"DISABLE_OPTIMIZED_EXECUTION", "ENABLE_CACHE_CLEANING", "INFERENCE_MODE", "DISABLE_CUDNN", "ENABLE_TENSOR_FUSER",
		"ENABLE_WEIGHT_SHARING", "ENABLE_JIT_PROFILING", "ENABLE_JIT_EXECUTOR",
	} {
		p.boolean(key)
	}
	p.integer("INTRA_OP_THREAD_COUNT")
	p.integer("INTER_OP_THREAD_COUNT")
	return p.problems
}

type torchCheck struct {
	cfg      *modelconfig.ModelConfig
	model    *modelfile.TorchScript // nil where forward is not known
	problems []*Problem
	// present counts the kinds of sequence control that the config has.
	present int
}

func (c *torchCheck) add(p *Problem) {
	if p.Code == "" {
		p.Code = rule.Internal
	}
	c.problems = append(c.problems, p)
}

// arguments: PT2. All have to be tensors or lists, or there is a single dictionary; false where they are not.
func (c *torchCheck) arguments() bool {
	if c.model == nil || c.model.Dictionary() {
		return false
	}
	for i, a := range c.model.Arguments {
		if i > 0 && strings.HasPrefix(a.Type, "Dict[") {
			c.add(&Problem{
				Rule: rule.PT2, Path: at("input"), Allowed: []string{a.Name, a.Type},
				Triton: rule.PT2.Other(1),
			})
			return false
		}
	}
	for _, a := range c.model.Arguments {
		if a.Type != "Tensor" && !strings.HasPrefix(a.Type, "List[") {
			c.add(&Problem{
				Rule: rule.PT2, Path: at("input"), Allowed: []string{a.Name, a.Type},
				Triton: rule.PT2.Sentence(modelfile.SaidType(a.Type)),
			})
			return false
		}
	}
	return len(c.model.Arguments) > 0
}

// count: PT3; false where it is wrong.
func (c *torchCheck) count() bool {
	want := len(c.cfg.Input) + len(c.cfg.BatchInput) + c.present + len(c.cfg.GetSequenceBatching().GetState())
	if want != len(c.model.Arguments) {
		c.add(&Problem{
			Rule: rule.PT3, Code: rule.Invalid, Path: at("input"), Allowed: c.model.Names(),
			Triton: rule.PT3.Sentence(c.cfg.Name, want, len(c.model.Arguments)),
		})
	}
	return want == len(c.model.Arguments)
}

// some: PT4.
func (c *torchCheck) some(side string, count int) {
	if count == 0 {
		c.add(&Problem{
			Rule: rule.PT4, Path: at(side),
			Triton: rule.PT4.Sentence(side),
		})
	}
}

// torchTypes are the data types of configs that libtorch has; strings are lists of str.
var torchTypes = []modelconfig.DataType{
	modelconfig.DataType_TYPE_BOOL, modelconfig.DataType_TYPE_UINT8, modelconfig.DataType_TYPE_INT8, modelconfig.DataType_TYPE_INT16,
	modelconfig.DataType_TYPE_INT32, modelconfig.DataType_TYPE_INT64, modelconfig.DataType_TYPE_FP16, modelconfig.DataType_TYPE_FP32,
	modelconfig.DataType_TYPE_FP64, modelconfig.DataType_TYPE_STRING,
}

// tensors looks at the types and dims of a side: PT5 and PT6.
func (c *torchCheck) tensors(side string) {
	if side == "input" {
		for i, in := range c.cfg.Input {
			dims, field := shapeOf(in.Dims, in.Reshape)
			c.tensor(place{side, i, in.Name, field}, in.DataType, dims)
		}
		return
	}
	for i, out := range c.cfg.Output {
		dims, field := shapeOf(out.Dims, out.Reshape)
		c.tensor(place{side, i, out.Name, field}, out.DataType, dims)
	}
}

func (c *torchCheck) tensor(p place, typ modelconfig.DataType, dims []int64) {
	_, known := modelconfig.DataType_name[int32(typ)]
	rank := len(dims)
	if c.cfg.MaxBatchSize > 0 {
		rank++
	}
	switch {
	case !known || typ == modelconfig.DataType_TYPE_INVALID: // told elsewhere
	case !slices.Contains(torchTypes, typ):
		c.add(&Problem{
			Rule: rule.PT5, Path: at(p.side, p.i, "data_type"),
			Triton: rule.PT5.Sentence(typ, p.side, p.name, c.cfg.Name),
		})
	case typ == modelconfig.DataType_TYPE_STRING && rank > 1:
		c.add(&Problem{
			Rule: rule.PT6, Path: at(p.side, p.i, p.shapeField),
			Triton: rule.PT6.Sentence(p.side, p.name, c.cfg.Name),
		})
	}
}
