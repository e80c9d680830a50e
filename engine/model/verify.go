package model

import (
	"slices"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
)

// What Triton refuses about a config is written once, in configedit/check: `conch check`, the editor and the engine
// give the same verdict in the same words. What depends on the machine or on what is loaded at the moment is the
// engine's own: GPUs, label files, which models serve.

// refusedAtPoll checks the config alone and the folder's name (docs/triton/validation.md, "The
// config alone"; docs/triton/ensembles.md, "The wiring"; rule L5). decoded is the config's text;
// nil where there is none.
func refusedAtPoll(cfg *modelconfig.ModelConfig, src Source, decoded *modelconfig.Decoded) error {
	d := first(&check.Model{Name: src.Name, Decoded: decoded, Effective: cfg, Facts: derive.Facts{ModelName: src.Name, AutoComplete: true}}, nil)
	if d == nil || !rule.Find(d.Code).Stage.BeforeLoad() {
		return nil
	}
	return infer.Errorf(infer.InvalidArg, "%s", d.Triton)
}

// refusedAtLoad checks a completed config: the same again, and its inputs and outputs
// (docs/triton/validation.md, "Inputs and outputs").
func refusedAtLoad(cfg *modelconfig.ModelConfig) error {
	if d := first(&check.Model{Name: cfg.Name, Effective: cfg, Facts: derive.Facts{ModelName: cfg.Name}}, nil); d != nil {
		return infer.Errorf(infer.InvalidArg, "%s", d.Triton)
	}
	return nil
}

// first is what Triton would stop at.
func first(m *check.Model, env check.Env) *diag.Diagnostic {
	list := check.Check(m, env)
	for i := range list {
		if list[i].First {
			return &list[i]
		}
	}
	return nil
}

// CheckSteps checks that an ensemble's tensors agree with the models of its steps
// (docs/triton/ensembles.md, "Agreement of tensors"). configOf gives the completed config of a
// model's highest version that serves. It gives nil for a model without one, about which CheckSteps
// says nothing.
func CheckSteps(cfg *modelconfig.ModelConfig, configOf func(model string) *modelconfig.ModelConfig) error {
	d := first(&check.Model{Name: cfg.Name, Effective: cfg, Facts: derive.Facts{ModelName: cfg.Name}}, serving{configOf})
	if d == nil || rule.Find(d.Code).Stage != rule.Tensors {
		return nil
	}
	return infer.Errorf(infer.InvalidArg, "%s", d.Triton)
}

// hasDecoupledStep says whether one of an ensemble's steps, as they serve now, is decoupled, and
// with it the ensemble (docs/triton/ensembles.md, "Agreement of tensors").
func (v *Version) hasDecoupledStep() bool {
	return v.resolver != nil && slices.ContainsFunc(v.Config.GetEnsembleScheduling().GetStep(), func(s *modelconfig.ModelEnsembling_Step) bool {
		cfg, err := v.resolver.Config(s.ModelName, infer.Latest) // one that does not serve is told elsewhere
		return err == nil && cfg.GetModelTransactionPolicy().GetDecoupled()
	})
}

// Outdated says whether an ensemble has another transaction policy than it would get now: a step has been loaded anew,
// and it has to be, too.
func (v *Version) Outdated() bool {
	return v.ensemble != nil && v.hasDecoupledStep() != v.Config.GetModelTransactionPolicy().GetDecoupled()
}

// serving is a repository that holds what serves.
type serving struct {
	configOf func(model string) *modelconfig.ModelConfig
}

// Model implements check.Env.
func (s serving) Model(name string) (*check.Model, bool) {
	cfg := s.configOf(name)
	if cfg.GetEnsembleScheduling() != nil {
		cfg = outside(cfg)
	}
	return &check.Model{Name: name, Effective: cfg}, cfg != nil
}

// outside is an ensemble that serves as other ensembles see it. What it is made of was judged when it was loaded; to
// judge it again for each ensemble above it takes time that grows with the depth.
func outside(cfg *modelconfig.ModelConfig) *modelconfig.ModelConfig {
	return &modelconfig.ModelConfig{
		Name: cfg.Name, Backend: "identity", MaxBatchSize: cfg.MaxBatchSize, Input: cfg.Input, Output: cfg.Output,
		ModelTransactionPolicy: cfg.ModelTransactionPolicy,
	}
}

// Names implements check.Env: nobody asks what may have been meant.
func (s serving) Names() []string { return nil }
