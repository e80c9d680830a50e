package control

import (
	"fmt"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/infer"
	"conch/engine/model"
)

// definer reads configs and finds the models that a model is made of. It does not change the
// Manager's state.
type definer struct {
	*core
	resolver func(namespace string) *steps
}

// define finds the model on disk, reads its config, and returns its parts.
func (d *definer) define(n *node) (parts []string) {
	found, before := d.names.find(n.listing, n.name), *n
	n.found, n.definition = nil, nil
	n.imports = d.changesOfImports(n.name)
	switch {
	case n.order.fault != nil:
		n.failure = &failure{stage: poll, err: n.order.fault}
		return d.knownParts(n.name)
	case n.order.given != nil:
		found = []Found{*n.order.given}
	case len(found) == 0:
		n.failure = pollFailure("model not found in any model repository")
		return d.knownParts(n.name)
	case len(found) > 1:
		n.failure = pollFailure(fmt.Sprintf("%s: it is in %s and in %s; remove one, "+
			"or tell them apart with --model-namespacing", notUnique, found[0].Root, found[1].Root))
		return d.knownParts(n.name)
	}
	n.found = &found[0]
	if n.found.Trouble != nil {
		n.failure = pollFailure(n.found.Trouble.Error())
		return d.knownParts(n.name)
	}
	made, err := d.read(n, before, d.overrideFor(n))
	if err != nil {
		n.failure = &failure{stage: poll, err: err}
		return d.knownParts(n.name)
	}
	n.definition = made
	s := d.state.Lock()
	defer d.state.Unlock()
	return s.partKeys(n.name, made.Parts())
}

// knownParts returns the last known parts of an ensemble.
func (d *definer) knownParts(key string) []string {
	s := d.state.Lock()
	defer d.state.Unlock()
	return s.partsOf(key)
}

// read returns the definition of a model. It does not read the config again if nothing has changed since
// the last definition: the one before the model's turn, or the one of the serving versions.
func (d *definer) read(n *node, before node, override string) (*model.Definition, error) {
	now := lookAt(n.found, n.imports, override)
	if before.definition != nil && lookAt(before.found, before.imports, before.definition.Source.Override) == now {
		return before.definition, nil
	}
	if serving := d.serving(n, now); serving != nil {
		return serving, nil
	}
	id := d.names.identity(n.name)
	return d.o.Loader.Define(model.Source{
		Name: id.name, Namespace: id.namespace, Dir: n.found.Dir, Root: n.found.Root,
		ConfigPath: n.found.ConfigPath, ConfigText: n.found.ConfigText, Override: override,
	})
}

// serving returns the definition of the serving versions if they were built from the same files; nil
// otherwise.
func (d *definer) serving(n *node, now look) *model.Definition {
	s := d.state.Lock()
	defer d.state.Unlock()
	serving := s.models.definition(n.name)
	if serving == nil || n.order.force {
		return nil
	}
	if e := s.models.entries[n.name]; e.failed == nil && e.tried == now {
		return serving
	}
	return nil
}

// notUnique is Triton's text for a name that several repositories have.
const notUnique = "not unique across all model repositories"

func pollFailure(text string) *failure {
	return &failure{stage: poll, err: infer.Errorf(infer.Internal, "%s", text)}
}

// overrideFor returns the config that replaces the file: the request's config, or that of the
// request that loaded what serves, while the files are the same (docs/triton/loading.md, "Config of a
// load request"). The config of a load that failed is not used again. A forced load uses the file's
// config, so that people can return to it.
func (d *definer) overrideFor(n *node) string {
	switch {
	case n.order.override != nil:
		return *n.order.override
	case n.order.force:
		return ""
	}
	s := d.state.Lock()
	defer d.state.Unlock()
	e := s.models.entries[n.name]
	if e == nil || len(e.serving) == 0 || e.definition == nil || !lookAt(n.found, n.imports, "").sameFiles(e.tried) {
		return ""
	}
	return e.definition.Source.Override
}

// checkParts checks an ensemble against the models of its steps (docs/triton/ensembles.md, "Models
// of the steps"); nil for any other model, and when all is valid.
func (d *definer) checkParts(ensemble *model.Definition) *failure {
	if !ensemble.Ensemble() {
		return nil
	}
	for _, step := range ensemble.Config.GetEnsembleScheduling().GetStep() {
		if err := d.checkPart(ensemble.Source, step); err != nil {
			return &failure{stage: dependency, err: err}
		}
	}
	err := model.CheckSteps(ensemble.Config, func(name string) *modelconfig.ModelConfig {
		// If a model was unloaded meanwhile, that unload reports it.
		cfg, _ := d.resolver(ensemble.Source.Namespace).Config(name, infer.Latest)
		return cfg
	})
	if err != nil {
		return &failure{stage: dependency, err: err}
	}
	return nil
}

// checkPart checks the rules D1, D4 and D5.
func (d *definer) checkPart(src model.Source, step *modelconfig.ModelEnsembling_Step) error {
	s := d.state.Lock()
	defer d.state.Unlock()
	ensemble, part := d.names.key(identity{src.Namespace, src.Name}), s.partKey(src.Namespace, step.ModelName)
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
