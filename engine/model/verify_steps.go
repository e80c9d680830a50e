package model

import (
	"maps"
	"slices"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// CheckSteps is ValidateEnsembleConfig (triton-config B.5): an ensemble's tensors must agree with the models
// it is made of. configOf gives the completed config of a model's highest ready version.
func CheckSteps(cfg *modelconfig.ModelConfig, configOf func(model string) *modelconfig.ModelConfig) error {
	a := &agreement{ensemble: cfg.Name, known: map[string]mention{}}
	for _, in := range cfg.Input {
		dims := in.Dims
		if in.Reshape != nil {
			dims = in.Reshape.Shape
		}
		a.known[in.Name] = newMention(cfg, in.DataType, dims)
	}
	for _, out := range cfg.Output {
		a.known[out.Name] = newMention(cfg, out.DataType, dimsOfOutput(out))
	}
	for _, s := range cfg.GetEnsembleScheduling().GetStep() {
		part := configOf(s.ModelName)
		if part.MaxBatchSize != 0 && part.MaxBatchSize < cfg.MaxBatchSize {
			return infer.Errorf(infer.InvalidArg, "ensemble %s allows maximum batch size %d, but it contains model %s which only allows maximum batch size to be %d",
				cfg.Name, cfg.MaxBatchSize, s.ModelName, part.MaxBatchSize)
		}
		if part.GetModelTransactionPolicy().GetDecoupled() {
			return infer.Errorf(infer.Unsupported, "ensemble %s contains the decoupled model %s, which is not supported yet", cfg.Name, s.ModelName)
		}
		if err := a.step(s, part); err != nil {
			return err
		}
	}
	return nil
}

func dimsOfOutput(out *modelconfig.ModelOutput) []int64 {
	if out.Reshape != nil {
		return out.Reshape.Shape
	}
	return out.Dims
}

// agreement is what has been said of each tensor of the ensemble so far.
type agreement struct {
	ensemble string
	known    map[string]mention
}

// mention is what one model says of a tensor.
type mention struct {
	model    string
	datatype modelconfig.DataType
	dims     tensor.Shape
	full     tensor.Shape // with the batch dimension
}

func newMention(cfg *modelconfig.ModelConfig, datatype modelconfig.DataType, dims []int64) mention {
	m := mention{model: cfg.Name, datatype: datatype, dims: dims, full: dims}
	if cfg.MaxBatchSize > 0 {
		m.full = append(tensor.Shape{-1}, dims...)
	}
	return m
}

func (a *agreement) step(s *modelconfig.ModelEnsembling_Step, part *modelconfig.ModelConfig) error {
	inputs := map[string]*modelconfig.ModelInput{}
	for _, in := range part.Input {
		inputs[in.Name] = in
	}
	for _, name := range slices.Sorted(maps.Keys(s.InputMap)) {
		in := inputs[name]
		if in == nil {
			return infer.Errorf(infer.InvalidArg, "in ensemble %s, ensemble tensor %s is mapping to non-existing input %s in model %s",
				a.ensemble, s.InputMap[name], name, s.ModelName)
		}
		if err := a.agree(s.InputMap[name], newMention(part, in.DataType, in.Dims)); err != nil {
			return err
		}
	}
	for _, in := range part.Input {
		if _, mapped := s.InputMap[in.Name]; !mapped && !in.Optional {
			return infer.Errorf(infer.InvalidArg, "in ensemble %s, input %s in model %s is not mapped to any ensemble tensors", a.ensemble, in.Name, s.ModelName)
		}
	}
	return a.stepOutputs(s, part)
}

func (a *agreement) stepOutputs(s *modelconfig.ModelEnsembling_Step, part *modelconfig.ModelConfig) error {
	outputs := map[string]*modelconfig.ModelOutput{}
	for _, out := range part.Output {
		outputs[out.Name] = out
	}
	for _, name := range slices.Sorted(maps.Keys(s.OutputMap)) {
		out := outputs[name]
		if out == nil {
			return infer.Errorf(infer.InvalidArg, "in ensemble %s, ensemble tensor %s is mapped from non-existing output %s in model %s",
				a.ensemble, s.OutputMap[name], name, s.ModelName)
		}
		if err := a.agree(s.OutputMap[name], newMention(part, out.DataType, out.Dims)); err != nil {
			return err
		}
	}
	return nil
}

// agree compares with the first model that mentioned the tensor, or takes note of this one.
func (a *agreement) agree(name string, m mention) error {
	first, known := a.known[name]
	switch {
	case !known:
		a.known[name] = m
		return nil
	case first.datatype != m.datatype:
		return infer.Errorf(infer.InvalidArg, "in ensemble %s, ensemble tensor %s: inconsistent data type: %s is inferred from model %s while %s is inferred from model %s",
			a.ensemble, name, first.datatype, first.model, m.datatype, m.model)
	case !compatible(first.dims, m.dims) && !compatible(first.full, m.full):
		return infer.Errorf(infer.InvalidArg, "in ensemble %s, ensemble tensor %s: inconsistent shape: %s is inferred from model %s while %s is inferred from model %s",
			a.ensemble, name, first.full, first.model, m.full, m.model)
	}
	return nil
}

// compatible compares dims in which -1 stands for anything, on both sides.
func compatible(a, b tensor.Shape) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && a[i] != -1 && b[i] != -1 {
			return false
		}
	}
	return true
}
