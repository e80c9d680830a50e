package control

import (
	"conch/configedit/modelconfig"
	"conch/configedit/reach"
	"conch/engine/infer"
	"conch/engine/model"
)

// Access is what a Manager lets in beyond the repository's data.
type Access struct {
	// Overrides: a load may bring a config, and files.
	Overrides bool
	// Code: models may run code of their own, such as custom operators.
	Code bool
}

// Ways are sentences for people who meet what Access does not permit. Where one is set, it is not
// permitted until SetAccess does.
type Ways struct {
	Override string // how to have configs and files of clients taken
	Trust    string // how to have code of the repository run
}

func (w Ways) atFirst() Access { return Access{Overrides: w.Override == "", Code: w.Trust == ""} }

// gate refuses what is not permitted.
type gate struct{ *core }

// now is what is let in.
func (g *gate) now() Access {
	s := g.state.lock()
	defer g.state.unlock()
	return s.access
}

// mayBring refuses what a load request brings and may not. A file that is named by no more than a
// request's config is nobody's that could be asked: libraries, and whatever lies outside of the
// model's folder, need a flag.
func (g *gate) mayBring(name string, r Request) error {
	if r.Override == "" && len(r.Files) == 0 {
		return nil
	}
	if !g.now().Overrides {
		return infer.Errorf(infer.InvalidArg,
			"failed to load '%s': this server takes no config and no files from a load request. %s", name, g.o.Ways.Override)
	}
	cfg, err := modelconfig.UnmarshalJSON([]byte(r.Override))
	if err != nil || g.o.Loader.ExternalPaths {
		return nil // what is wrong with the config is told by who reads it
	}
	if outside := reach.Outside(cfg); len(outside) > 0 {
		return infer.Errorf(infer.InvalidArg, "failed to load '%s': the config of a load request may not name a library "+
			"or a file outside of the model's folder, and its %s is '%s'. Write it into the model's config.pbtxt, "+
			"or start `conch serve` with --allow-external-paths.", name, outside[0].Field, outside[0].Path)
	}
	return nil
}

// refuseCode refuses a model that runs code of its own, unless that is trusted now.
func (g *gate) refuseCode(n *node) *failure { return g.refuseCodeUnder(g.now(), n) }

func (g *gate) refuseCodeUnder(a Access, n *node) *failure {
	if a.Code || !g.runsCode(n.plan) {
		return nil
	}
	code := reach.Code(n.plan.Config)[0]
	return &failure{stage: load, untrusted: true, err: infer.Errorf(infer.InvalidArg,
		"model '%s' runs code of its own, the library '%s' (%s), and this repository is not trusted. %s",
		n.plan.Source.Name, code.Path, code.Field, g.o.Ways.Trust)}
}

// runsCode says whether a model brings code. A backend that is not here runs nothing; neither does
// what has no plan, because it is being unloaded.
func (g *gate) runsCode(p *model.Plan) bool {
	return p != nil && len(reach.Code(p.Config)) > 0 && g.o.Loader.Runnable(p.Config.Backend, false)
}
