package derive

import (
	"errors"
	"slices"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
)

// CheckSavedModel compares a completed config with the signature that it names, as the TensorFlow backend does
// (tensorflow_backend, savedmodel::ValidateTRITONTFModel). With autoComplete the backend adds inputs, types, dims and
// batching that the config leaves out, so that their absence is no problem.
func CheckSavedModel(cfg *modelconfig.ModelConfig, model *modelfile.SavedModel, autoComplete bool) []*Problem {
	signature, err := SavedSignature(cfg, model)
	var p *Problem
	if errors.As(err, &p) {
		return []*Problem{p}
	}
	if signature == nil {
		return nil
	}
	c := &savedCheck{onnxCheck: onnxCheck{cfg: cfg, model: &modelfile.ONNX{Inputs: signature.Inputs, Outputs: signature.Outputs}}}
	c.completes = autoComplete
	c.elements(signature)
	c.batching()
	c.controls()
	c.count()
	for i, in := range cfg.Input {
		if !c.enough() {
			c.input(i, in)
		}
	}
	for i, out := range cfg.Output {
		if !c.enough() {
			c.output(i, out)
		}
	}
	return c.problems
}

// savedCheck shares the parts that the backends for ONNX and TensorFlow word alike.
type savedCheck struct {
	onnxCheck
	completes bool
	// unbatched means that the signature's fixed dimensions were already reported.
	unbatched bool
}

// elements refuses a signature with a tensor of a type that the backend does not support.
func (c *savedCheck) elements(s *modelfile.SavedSignature) {
	for _, e := range s.Unserved {
		c.add(&Problem{
			Rule: rule.TF2, Code: rule.Internal, Path: at(e.Side), Allowed: []string{e.Name, e.Type},
			Triton: rule.TF2.Sentence(e.Side, e.Name, c.cfg.Name, e.Type),
		})
	}
}

// fixed is the first tensor of the signature whose first dimension is a number. Those without dims do not count.
func (c *savedCheck) fixed() *modelfile.Tensor {
	for _, list := range [][]modelfile.Tensor{c.model.Inputs, c.model.Outputs} {
		for i := range list {
			if len(list[i].Dims) > 0 && list[i].Dims[0].Size != -1 {
				return &list[i]
			}
		}
	}
	return nil
}

// batching: with a size, every tensor has to begin with a dimension of any size.
func (c *savedCheck) batching() {
	t := c.fixed()
	if !c.completes || c.cfg.MaxBatchSize <= 0 || t == nil {
		return
	}
	c.unbatched = true
	c.add(&Problem{
		Rule: rule.TF7, Code: rule.Internal, Path: at("max_batch_size"), Tensor: t,
		Triton: rule.TF7.Sentence(c.cfg.Name, c.cfg.MaxBatchSize),
	})
}

// controls looks for the sequence controls in the signature, kind by kind.
func (c *savedCheck) controls() {
	for _, kind := range controlKinds {
		for i, input := range c.cfg.GetSequenceBatching().GetControlInput() {
			j := slices.IndexFunc(input.Control, func(k *modelconfig.ModelSequenceBatching_Control) bool { return k.Kind == kind })
			if j >= 0 {
				c.present++
				c.control(at("sequence_batching", "control_input", i), input.Name, controlType(input.Control[j]))
				break
			}
		}
	}
}

func (c *savedCheck) control(path []any, name string, want modelconfig.DataType) {
	t := find(c.model.Inputs, name)
	if t == nil {
		c.add(&Problem{
			Rule: rule.TF8, Code: rule.Internal, Path: append(path, "name"), Allowed: names(c.model.Inputs),
			Triton: rule.TF8.Sentence(name),
		})
		return
	}
	if want == t.Type || t.Type == modelconfig.DataType_TYPE_INVALID || want == modelconfig.DataType_TYPE_INVALID {
		return
	}
	c.add(&Problem{
		Rule: rule.TF8, Path: append(path, "control"), Tensor: t,
		Triton: rule.TF8.Other(1, c.cfg.Name, name, apiName(t.Type), want),
	})
}

// count waits where the backend adds the inputs that are left out, and where states stand for some.
func (c *savedCheck) count() {
	if c.completes || len(c.cfg.GetSequenceBatching().GetState()) > 0 {
		return
	}
	if len(c.cfg.Input)+len(c.cfg.BatchInput)+c.present != len(c.model.Inputs) {
		c.add(&Problem{
			Rule: rule.TF3, Path: at("input"), Allowed: names(c.model.Inputs),
			Triton: rule.TF3.Sentence(c.cfg.Name, len(c.cfg.Input), len(c.model.Inputs)),
		})
	}
}

func (c *savedCheck) input(i int, in *modelconfig.ModelInput) {
	dims, field := shapeOf(in.Dims, in.Reshape)
	where := place{"input", i, in.Name, field}
	t := c.named(where, c.model.Inputs)
	if t == nil {
		return
	}
	if in.AllowRaggedBatch {
		c.ragged(i, in, t)
	} else {
		c.dims(where, dims, t)
	}
	c.dataType(where, in.DataType, t)
}

func (c *savedCheck) ragged(i int, in *modelconfig.ModelInput, t *modelfile.Tensor) {
	if len(t.Dims) == 0 || slices.Equal(t.Sizes(), []int64{-1}) {
		return
	}
	c.add(&Problem{
		Rule: rule.TF6, Path: at("input", i, "allow_ragged_batch"), Tensor: t,
		Triton: rule.TF6.Other(1, c.cfg.Name, in.Name, shape(t.Sizes())),
	})
}

func (c *savedCheck) output(i int, out *modelconfig.ModelOutput) {
	dims, field := shapeOf(out.Dims, out.Reshape)
	where := place{"output", i, out.Name, field}
	t := c.named(where, c.model.Outputs)
	if t == nil {
		return
	}
	if !c.scattered(out.Name) {
		c.dims(where, dims, t)
	}
	c.dataType(where, out.DataType, t)
}

func (c *savedCheck) named(p place, tensors []modelfile.Tensor) *modelfile.Tensor {
	t, unknown := named(rule.TF4, p, tensors)
	if unknown != nil {
		c.add(unknown)
	}
	return t
}

// dataType leaves types alone that elements refuses, and those that the backend fills in.
func (c *savedCheck) dataType(p place, want modelconfig.DataType, t *modelfile.Tensor) {
	if want == t.Type || t.Type == modelconfig.DataType_TYPE_INVALID || c.completes && want == modelconfig.DataType_TYPE_INVALID {
		return
	}
	c.add(&Problem{
		Rule: rule.TF5, Path: at(p.side, p.i, "data_type"), Tensor: t,
		Triton: rule.TF5.Sentence(c.cfg.Name, want, p.side, p.name, apiName(t.Type)),
	})
}

// dims compares a tensor's dims in config and signature. A tensor without dims in the signature takes any.
func (c *savedCheck) dims(p place, dims []int64, t *modelfile.Tensor) {
	batches, known := c.batches(len(dims), t)
	if len(t.Dims) == 0 || !known || c.completes && len(dims) == 0 {
		return
	}
	if batches && t.Dims[0].Size != -1 {
		c.noBatch(p, t)
		return
	}
	full := dims
	if batches {
		full = append([]int64{-1}, dims...)
	}
	if !t.TakesAll(p.side, full) {
		c.add(&Problem{
			Rule: rule.TF6, Path: at(p.side, p.i, p.shapeField), Tensor: t, Triton: c.mismatch(p.name, full, batches, t),
		})
	}
}

// batches reports whether dims go without the batch dimension. Without max_batch_size, the backend takes dims that are
// one short for a sign that they do; a ragged input is one too, and then nothing is sure.
func (c *savedCheck) batches(rank int, t *modelfile.Tensor) (batches, known bool) {
	if c.cfg.MaxBatchSize > 0 || !c.completes || c.fixed() != nil {
		return c.cfg.MaxBatchSize > 0, true
	}
	ragged := slices.ContainsFunc(c.cfg.Input, func(in *modelconfig.ModelInput) bool { return in.AllowRaggedBatch })
	return rank == len(t.Dims)-1, !ragged
}

func (c *savedCheck) noBatch(p place, t *modelfile.Tensor) {
	if c.unbatched {
		return
	}
	c.unbatched = true
	c.add(&Problem{
		Rule: rule.TF7, Path: at("max_batch_size"), Tensor: t,
		Triton: rule.TF7.Other(1, c.cfg.Name, p.name, shape(t.Sizes())),
	})
}
