package model

import (
	"slices"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/configedit/rule"
	"conch/engine/infer"
	"conch/engine/sched"
)

// What Triton refuses about a config is written once, in configedit/check: `conch check`, the editor and the engine
// give the same verdict in the same words. What depends on the machine or on what is loaded at the moment is the
// engine's own: GPUs, libraries, which models serve.

// refusedAtPoll checks the config alone and the folder's name (docs/triton/validation.md, "The
// config alone"; docs/triton/ensembles.md, "The wiring"; rule L5). decoded is the config's text;
// nil where there is none.
func refusedAtPoll(cfg *modelconfig.ModelConfig, src Source, decoded *modelconfig.Decoded) error {
	m := &check.Model{Name: src.Name, Decoded: decoded, Effective: cfg, Facts: derive.Facts{ModelName: src.Name, AutoComplete: true}}
	return firstOf(check.Refusals(m, nil), rule.Stage.BeforeLoad)
}

// refusedAtLoad checks a completed config and the files that it names: all that Triton looks at
// between the poll and the first request (docs/triton/loading.md). What is wrong with the model
// file is told by the backend.
func refusedAtLoad(cfg *modelconfig.ModelConfig, own files, version int64) error {
	if err := own.allow(cfg); err != nil {
		return err
	}
	m := &check.Model{Name: cfg.Name, Effective: cfg, Facts: derive.Facts{ModelName: cfg.Name}, Completed: true, Folder: own.beside(version)}
	return firstOf(check.Refusals(m, nil), func(s rule.Stage) bool { return s != rule.Instance })
}

// firstOf is the error that Triton would stop at, of those at some stages.
func firstOf(list []check.Refusal, looks func(rule.Stage) bool) error {
	i := slices.IndexFunc(list, func(r check.Refusal) bool { return looks(r.Stage) })
	if i < 0 {
		return nil
	}
	return infer.Said(list[i].Status, list[i].Sentence)
}

// beside shows the checks what lies in a version's model folder.
func (f files) beside(version int64) *check.Folder {
	shown := modelfolder.Folder(folder.Dir(f.source.Dir), f.source.Dir)
	shown.Versions = []int64{version}
	return shown
}

// CheckSteps checks that an ensemble's tensors agree with the models of its steps
// (docs/triton/ensembles.md, "Agreement of tensors"). configOf gives the completed config of a
// model's highest version that serves. It gives nil for a model without one, about which CheckSteps
// says nothing.
func CheckSteps(cfg *modelconfig.ModelConfig, configOf func(model string) *modelconfig.ModelConfig) error {
	m := &check.Model{Name: cfg.Name, Effective: cfg, Facts: derive.Facts{ModelName: cfg.Name}}
	list := check.Refusals(m, serving{configOf})
	return firstOf(list[:min(len(list), 1)], func(s rule.Stage) bool { return s == rule.Tensors })
}

// hasDecoupledStep reports whether one of an ensemble's steps, as they serve now, is decoupled, and
// with it the ensemble (docs/triton/ensembles.md, "Agreement of tensors").
func hasDecoupledStep(cfg *modelconfig.ModelConfig, steps sched.Resolver) bool {
	return steps != nil && slices.ContainsFunc(cfg.GetEnsembleScheduling().GetStep(), func(s *modelconfig.ModelEnsembling_Step) bool {
		step, err := steps.Config(s.ModelName, infer.Latest) // another check reports a step that does not serve
		return err == nil && step.GetModelTransactionPolicy().GetDecoupled()
	})
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
