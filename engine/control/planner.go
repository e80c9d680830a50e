package control

import (
	"fmt"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
	"conch/engine/model"
)

// planner reads configs and finds the models that a model is made of. It does not change the
// Manager's state.
type planner struct {
	*core
	resolver func(namespace string) *steps
}

// plan finds the model on disk, reads its config, and returns its parts.
func (p *planner) plan(n *node) (parts []string) {
	found, before := p.names.find(n.listing, n.name), *n
	n.found, n.plan = nil, nil
	switch {
	case n.order.fault != nil:
		n.failure = &failure{stage: poll, err: n.order.fault}
		return p.knownParts(n.name)
	case n.order.given != nil:
		found = []Found{*n.order.given}
	case len(found) == 0:
		n.failure = pollFailure("model not found in any model repository")
		return p.knownParts(n.name)
	case len(found) > 1:
		n.failure = pollFailure(fmt.Sprintf("%s: it is in %s and in %s; remove one, "+
			"or tell them apart with --model-namespacing", notUnique, found[0].Root, found[1].Root))
		return p.knownParts(n.name)
	}
	n.found = &found[0]
	if n.found.Trouble != nil {
		n.failure = pollFailure(n.found.Trouble.Error())
		return p.knownParts(n.name)
	}
	made, err := p.planOf(n, before, p.overrideFor(n))
	if err != nil {
		n.failure = &failure{stage: poll, err: err}
		return p.knownParts(n.name)
	}
	n.plan = made
	s := p.state.Lock()
	defer p.state.Unlock()
	return s.partKeys(n.name, made.Parts())
}

// knownParts returns the last known parts of an ensemble.
func (p *planner) knownParts(key string) []string {
	s := p.state.Lock()
	defer p.state.Unlock()
	return s.partsOf(key)
}

// planOf returns the plan of a model's config. It does not read the config again if nothing has
// changed since the last plan: the one before the model's turn, or the one of the serving versions.
func (p *planner) planOf(n *node, before node, override string) (*model.Plan, error) {
	now := lookAt(n.found, override)
	if before.plan != nil && lookAt(before.found, before.plan.Source.Override) == now {
		return before.plan, nil
	}
	if plan := p.servingPlan(n, now); plan != nil {
		return plan, nil
	}
	id := p.names.identity(n.name)
	return p.o.Loader.Plan(model.Source{
		Name: id.name, Namespace: id.namespace, Dir: n.found.Dir, Root: n.found.Root,
		ConfigPath: n.found.ConfigPath, ConfigText: n.found.ConfigText, Override: override,
	})
}

// servingPlan returns the plan of the serving versions if they were built from the same files; nil
// otherwise.
func (p *planner) servingPlan(n *node, now look) *model.Plan {
	s := p.state.Lock()
	defer p.state.Unlock()
	plan := s.models.plan(n.name)
	if plan == nil || n.order.force {
		return nil
	}
	if e := s.models.entries[n.name]; e.failed == nil && e.tried == now {
		return plan
	}
	return nil
}

// notUnique is Triton's text for a name that several repositories have.
const notUnique = "not unique across all model repositories"

func pollFailure(text string) *failure {
	return &failure{stage: poll, err: infer.Errorf(infer.Internal, "%s", text)}
}

// overrideFor returns the config that replaces the file: the request's config, or that of an
// earlier request while the model serves and its files are the same (docs/triton/loading.md,
// "Config of a load request"). A forced load uses the file's config, so that people can return to
// it.
func (p *planner) overrideFor(n *node) string {
	switch {
	case n.order.override != nil:
		return *n.order.override
	case n.order.force:
		return ""
	}
	s := p.state.Lock()
	defer p.state.Unlock()
	e := s.models.entries[n.name]
	if e == nil || len(e.serving) == 0 || !lookAt(n.found, "").sameFiles(e.tried) {
		return ""
	}
	return e.tried.override
}

// checkParts checks an ensemble against the models of its steps (docs/triton/ensembles.md, "Models
// of the steps"); nil for any other model, and when all is valid.
func (p *planner) checkParts(plan *model.Plan) *failure {
	if !plan.Ensemble() {
		return nil
	}
	for _, step := range plan.Config.GetEnsembleScheduling().GetStep() {
		if err := p.checkPart(plan.Source, step); err != nil {
			return &failure{stage: dependency, err: err}
		}
	}
	err := model.CheckSteps(plan.Config, func(name string) *modelconfig.ModelConfig {
		// If a model was unloaded meanwhile, that unload reports it.
		cfg, _ := p.resolver(plan.Source.Namespace).Config(name, infer.Latest)
		return cfg
	})
	if err != nil {
		return &failure{stage: dependency, err: err}
	}
	return nil
}

// checkPart checks the rules D1, D4 and D5.
func (p *planner) checkPart(src model.Source, step *modelconfig.ModelEnsembling_Step) error {
	s := p.state.Lock()
	defer p.state.Unlock()
	ensemble, part := p.names.key(identity{src.Namespace, src.Name}), s.partKey(src.Namespace, step.ModelName)
	e := s.models.entries[part]
	switch {
	case e != nil && len(e.serving) > 0:
		if step.ModelVersion != infer.Latest && e.serving[step.ModelVersion] == nil {
			return infer.Refused(rule.D5, ensemble, part, step.ModelVersion)
		}
		return nil
	case e == nil || e.failed == nil || e.failed.stage == poll:
		return infer.Refused(rule.D1, ensemble, step.ModelName)
	}
	return infer.Said(rule.D4.Status, rule.D4.Other(1, ensemble, part, part, e.failed.inner()))
}
