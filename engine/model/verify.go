package model

import (
	"errors"
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

// configedit/check holds everything that Triton refuses in a config, so that `conch check`, the editor and the engine
// give the same verdict in the same words. The engine itself checks only what depends on the machine or on the loaded
// models: GPUs, libraries, which models serve.

// refusedAtPoll checks the config alone and the folder's name (docs/triton/validation.md, "The
// config alone"; docs/triton/ensembles.md, "The wiring"; rule L5). decoded is the config's text;
// nil where there is none.
func refusedAtPoll(cfg *modelconfig.ModelConfig, src Source, decoded *modelconfig.Decoded) error {
	m := &check.Model{Name: src.Name, Decoded: decoded, Effective: cfg, Facts: derive.Facts{ModelName: src.Name, AutoComplete: true}}
	return firstOf(check.Refusals(m, nil), func(r check.Refusal) bool { return r.Stage.BeforeLoad() })
}

// refusedAtLoad checks a completed config and the files that it names: everything that Triton checks
// between the poll and the first request (docs/triton/loading.md). The backend checks the model file.
func refusedAtLoad(cfg *modelconfig.ModelConfig, own files, version int64) error {
	if err := own.allow(cfg); err != nil {
		return err
	}
	m := &check.Model{Name: cfg.Name, Effective: cfg, Facts: derive.Facts{ModelName: cfg.Name}, Completed: true, Folder: own.beside(version)}
	return firstOf(check.Refusals(m, nil), func(r check.Refusal) bool { return r.Stage != rule.Instance })
}

// refusedBy is the refusal of a completed config by a rule about the config alone; nil where the config does not break it.
func refusedBy(broken *rule.Rule, cfg *modelconfig.ModelConfig) error {
	m := &check.Model{Name: cfg.Name, Effective: cfg, Facts: derive.Facts{ModelName: cfg.Name}, Completed: true}
	return firstOf(check.Refusals(m, nil), func(r check.Refusal) bool { return r.Rule == broken })
}

// refused is an error in Triton's words that knows which rule it comes from.
type refused struct {
	error
	by *rule.Rule
}

// Unwrap returns the error for clients.
func (r *refused) Unwrap() error { return r.error }

// isRefusedBy reports whether an error comes from a rule.
func isRefusedBy(broken *rule.Rule, err error) bool {
	var known *refused
	return errors.As(err, &known) && known.by == broken
}

// firstOf returns the first refusal of certain ones: the error at which Triton stops.
func firstOf(list []check.Refusal, looks func(check.Refusal) bool) error {
	i := slices.IndexFunc(list, looks)
	if i < 0 {
		return nil
	}
	return &refused{infer.Said(list[i].Status, list[i].Sentence), list[i].Rule}
}

// beside returns the model folder of a version, for the checks.
func (f files) beside(version int64) *check.Folder {
	shown := modelfolder.Folder(folder.Dir(f.source.Dir), f.source.Dir)
	shown.Versions = []int64{version}
	return shown
}

// CheckSteps checks that an ensemble's tensors agree with the models of its steps
// (docs/triton/ensembles.md, "Agreement of tensors"). configOf returns the completed config of a
// model's highest version that serves, or nil when none serves. CheckSteps does not check the steps of such a model.
func CheckSteps(cfg *modelconfig.ModelConfig, configOf func(model string) *modelconfig.ModelConfig) error {
	m := &check.Model{Name: cfg.Name, Effective: cfg, Facts: derive.Facts{ModelName: cfg.Name}}
	list := check.Refusals(m, serving{configOf})
	return firstOf(list[:min(len(list), 1)], func(r check.Refusal) bool { return r.Stage == rule.Tensors })
}

// hasDecoupledStep reports whether one of an ensemble's steps, as they serve now, is decoupled, and
// with it the ensemble (docs/triton/ensembles.md, "Agreement of tensors").
func hasDecoupledStep(cfg *modelconfig.ModelConfig, steps sched.Resolver) bool {
	return steps != nil && slices.ContainsFunc(cfg.GetEnsembleScheduling().GetStep(), func(s *modelconfig.ModelEnsembling_Step) bool {
		step, err := steps.Config(s.ModelName, infer.Latest) // another check reports a step that does not serve
		return err == nil && step.GetModelTransactionPolicy().GetDecoupled()
	})
}

// serving is a repository of the models that serve.
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

// outside returns an ensemble's config without its steps, for the check of other ensembles. The steps were checked when the
// ensemble was loaded. To check them again for each ensemble above would take time that grows with the depth.
func outside(cfg *modelconfig.ModelConfig) *modelconfig.ModelConfig {
	return &modelconfig.ModelConfig{
		Name: cfg.Name, Backend: "identity", MaxBatchSize: cfg.MaxBatchSize, Input: cfg.Input, Output: cfg.Output,
		ModelTransactionPolicy: cfg.ModelTransactionPolicy,
	}
}

// Names implements check.Env. It returns nothing, because the engine suggests no other names.
func (s serving) Names() []string { return nil }
