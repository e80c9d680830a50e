package control

import (
	"conch/configedit/modelconfig"
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

// mayBring refuses the forbidden parts of a load request. No user can permit a file that only a
// request's config names: libraries, and files outside of the model's folder, need a flag.
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
		return nil // the reader of the config reports its errors
	}
	if outside := reach.Outside(cfg); len(outside) > 0 {
		return infer.Errorf(infer.InvalidArg, "failed to load '%s': the config of a load request may not name a library "+
			"or a file outside of the model's folder, and its %s is '%s'. Write it into the model's config.pbtxt, "+
			"or start `conch serve` with --allow-external-paths.", name, outside[0].Field, outside[0].Path)
	}
	return nil
}

// refuseCode refuses a model that runs code of its own, unless its code is trusted now.
func (g *gate) refuseCode(n *node) *failure { return g.refuseCodeUnder(g.now(), n) }

func (g *gate) refuseCodeUnder(a Access, n *node) *failure {
	if !g.runsCode(n.definition) {
		return nil
	}
	code := reach.Code(n.definition.Config)[0]
	if own, is := reach.Program(n.definition.Config); is && n.order.given != nil && !g.o.Loader.ExternalPaths {
		return &failure{stage: load, err: infer.Errorf(infer.InvalidArg, "failed to load '%s': the files of a load request may not bring "+
			"a program, and '%s' is one. Put the model into the repository, or start `conch serve` with --allow-external-paths.",
			n.definition.Source.Name, own.Path)}
	}
	if a.Code {
		return nil
	}
	return &failure{stage: load, untrusted: true, err: infer.Errorf(infer.InvalidArg,
		"model '%s' %s, and this repository is not trusted. %s", n.definition.Source.Name, code.Opens(), g.o.Ways.Trust)}
}

// runsCode reports whether a model has code of its own. A model of an unknown backend runs nothing.
// A model that is being unloaded has no definition and runs nothing either.
func (g *gate) runsCode(p *model.Definition) bool {
	return p != nil && len(reach.Code(p.Config)) > 0 && g.o.Loader.Runnable(p.Config.Backend, false)
}
