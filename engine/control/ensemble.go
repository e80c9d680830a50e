package control

import (
	"slices"
	"time"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
	"conch/engine/model"
)

// checkParts checks an ensemble against the models of its steps (docs/triton/ensembles.md, "Models
// of the steps"); nil for any other model and when all is well.
func (op *operation) checkParts(p *model.Plan) *failure {
	if !p.Ensemble() {
		return nil
	}
	for _, s := range p.Config.GetEnsembleScheduling().GetStep() {
		if err := op.m.checkPart(p.Source, s); err != nil {
			return &failure{stage: dependency, err: err}
		}
	}
	err := model.CheckSteps(p.Config, func(name string) *modelconfig.ModelConfig {
		cfg, _ := op.m.config(p.Source.Namespace, name) // one that is gone meanwhile is told by those who took it out
		return cfg
	})
	if err != nil {
		return &failure{stage: dependency, err: err}
	}
	return nil
}

// Config is the completed config of a model's highest version that serves.
func (m *Manager) Config(name string) (*modelconfig.ModelConfig, error) {
	v, err := m.Version(name, infer.Latest)
	if err != nil {
		return nil, err
	}
	return v.Config, nil
}

// config is that of the model that a step in a namespace means.
func (m *Manager) config(namespace, part string) (*modelconfig.ModelConfig, error) {
	v, err := (&steps{m, namespace}).find(part, infer.Latest)
	if err != nil {
		return nil, err
	}
	return v.Config, nil
}

// checkPart are the rules D1, D4 and D5.
func (m *Manager) checkPart(src model.Source, s *modelconfig.ModelEnsembling_Step) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	ensemble, part := m.names.key(identity{src.Namespace, src.Name}), m.partKey(src.Namespace, s.ModelName)
	e := m.entries[part]
	switch {
	case e != nil && len(e.serving) > 0:
		if s.ModelVersion != infer.Latest && e.serving[s.ModelVersion] == nil {
			return infer.Refused(rule.D5, ensemble, part, s.ModelVersion)
		}
		return nil
	case e == nil || e.failed == nil || e.failed.stage == poll:
		return infer.Refused(rule.D1, ensemble, s.ModelName)
	}
	return infer.Said(rule.D4.Status, rule.D4.Other(1, ensemble, part, part, e.failed.inner()))
}

// check looks at a wanted ensemble after something it is made of has changed: it goes on, comes back, or falls.
func (op *operation) check(n *node) {
	switch {
	case op.m.followsFiles(n.name) && len(op.m.find(n.listing, n.name)) == 0 && !op.m.isHeld(n.name):
		op.unload(n) // it has gone with what it is made of
		return
	case op.m.serves(n.name):
		op.dropIfInvalid(n)
		return
	}
	if op.m.isOrdered(n) {
		return // it is held against its models when that order is carried out
	}
	op.plan(n)
	op.load(n)
}

func (m *Manager) serves(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[name]
	return e != nil && len(e.serving) > 0
}

// dropIfInvalid unloads an ensemble that serves but can no longer work. There is no older state to
// fall back to (docs/triton/ensembles.md, "Loading and unloading").
func (op *operation) dropIfInvalid(n *node) {
	m := op.m
	m.mu.Lock()
	plan := m.entry(n.name).plan
	serving := len(m.entry(n.name).serving) > 0
	m.mu.Unlock()
	if plan == nil || !serving {
		return
	}
	f := op.checkParts(plan)
	if f == nil {
		op.renew(n)
		return
	}
	n.failure = f
	n.out = m.takeOut(n.name)
	m.mu.Lock()
	e := m.entry(n.name)
	e.failed, e.wasServing = f, false
	m.mu.Unlock()
	m.log.Error(f.logLine(n.name), "model", n.name, "reason", f.text())
	m.hub.happened(Happening{Kind: Unloaded, Model: n.name, Reason: f.text(), Time: time.Now()})
	m.hub.changed(n.name)
}

// renew loads an ensemble again that serves, when a step has become decoupled or is so no longer: the ensemble's own
// transaction policy follows.
func (op *operation) renew(n *node) {
	if !slices.ContainsFunc(op.m.Versions(n.name), (*model.Version).Outdated) {
		return
	}
	if n.plan == nil {
		op.plan(n)
	}
	if n.failure == nil {
		op.build(n)
	}
}
