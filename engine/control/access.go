package control

import (
	"conch/configedit/reach"
	"conch/engine/infer"
	"conch/engine/model"
)

// Access is what a Manager permits besides the repository's data.
type Access struct {
	// Overrides permits a config and files in a load request.
	Overrides bool
	// Code permits models that run code of their own, such as custom operators.
	Code bool
	// StrictGPU refuses models that ask for GPUs which are not there.
	StrictGPU bool
}

// Ways are sentences for people: they say how to permit what Access does not permit. If a sentence
// is set, its part is forbidden until SetAccess permits it.
type Ways struct {
	Override string // how to permit configs and files of clients
	Trust    string // how to permit code of the repository
}

func (w Ways) atFirst() Access { return Access{Overrides: w.Override == "", Code: w.Trust == ""} }

// gate refuses what is not permitted.
type gate struct{ *core }

// now returns what is permitted now.
func (g *gate) now() Access {
	s := g.state.Lock()
	defer g.state.Unlock()
	return s.access
}

// mayBring refuses a load request with a config or files where they are forbidden. What they may make the server open is
// asked of the completed config, by refuseBrought.
func (g *gate) mayBring(name string, r Request) error {
	if r.Override == "" && len(r.Files) == 0 || g.now().Overrides {
		return nil
	}
	return infer.Errorf(infer.InvalidArg,
		"failed to load '%s': this server takes no config and no files from a load request. %s", name, g.o.Ways.Override)
}

// refuseBrought refuses what a client's config or files would make the server open. No user can permit it, since nobody who is
// asked about the repository sees it: it needs a flag. It looks at the completed config, because what a config leaves out
// chooses a backend too. A config that an earlier request has brought counts as well: the model still has it.
func (g *gate) refuseBrought(n *node) *failure {
	if g.o.Loader.ExternalPaths || n.definition == nil || n.definition.Source.Override == "" {
		return nil
	}
	name, cfg := n.definition.Source.Name, n.definition.Config
	if outside := reach.Outside(cfg); len(outside) > 0 {
		return &failure{stage: load, err: infer.Errorf(infer.InvalidArg, "failed to load '%s': the config of a load request may not name a library "+
			"or a file outside of the model's folder, and its %s is '%s'. Write it into the model's config.pbtxt, "+
			"or start `conch serve` with --allow-external-paths.", name, outside[0].Field, outside[0].Path)}
	}
	if n.order.given != nil && g.runsCode(n.definition) {
		return &failure{stage: load, err: infer.Errorf(infer.InvalidArg, "failed to load '%s': the files of a load request may not bring "+
			"a program, and this model %s. Put the model into the repository, or start `conch serve` with --allow-external-paths.",
			name, g.o.Loader.Code(cfg)[0].Opens())}
	}
	return nil
}

// refuseCode refuses a model that runs code of its own, unless its code is trusted now, and what a client may not bring.
func (g *gate) refuseCode(n *node) *failure { return g.refuseCodeUnder(g.now(), n) }

func (g *gate) refuseCodeUnder(a Access, n *node) *failure {
	if refused := g.refuseBrought(n); refused != nil {
		return refused
	}
	if a.Code || !g.runsCode(n.definition) {
		return nil
	}
	return &failure{stage: load, untrusted: true, err: infer.Errorf(infer.InvalidArg, "model '%s' %s, and this repository is not trusted. %s",
		n.definition.Source.Name, g.o.Loader.Code(n.definition.Config)[0].Opens(), g.o.Ways.Trust)}
}

// runsCode reports whether a model has code of its own. A model that is being unloaded has no definition and runs nothing.
func (g *gate) runsCode(p *model.Definition) bool {
	return p != nil && len(g.o.Loader.Code(p.Config)) > 0
}
