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

// Ways are sentences for people who meet what Access does not permit. Where one is set, it is not permitted until
// SetAccess does.
type Ways struct {
	Override string // how to have configs and files of clients taken
	Trust    string // how to have code of the repository run
}

func (w Ways) atFirst() Access { return Access{Overrides: w.Override == "", Code: w.Trust == ""} }

// SetAccess changes what is let in. Models that waited for their code to be trusted are loaded, and those whose code is not
// trusted any more are unloaded, in the background. What is being loaded asks for itself, before each step and when it is
// about to serve.
func (m *Manager) SetAccess(a Access) {
	m.mu.Lock()
	changed := a.Code != m.access.Code
	m.access = a
	out, in := map[string]order{}, map[string]order{}
	for key, e := range m.entries {
		switch {
		case !changed:
		case a.Code && e.wanted && e.failed != nil && e.failed.untrusted:
			in[key] = order{action: loadModel, explicit: e.explicit}
		case !a.Code && len(e.serving) > 0 && m.runsCode(e.plan):
			out[key] = order{action: unload, explicit: true}
			in[key] = order{action: loadModel, explicit: e.explicit} // is refused, and says why
		}
	}
	m.mu.Unlock()
	if len(in) == 0 || !m.begin() {
		return
	}
	go func() {
		defer m.work.Done()
		for _, orders := range []map[string]order{out, in} {
			if len(orders) == 0 {
				continue
			}
			if _, err := m.carryOut(m.life, orders); err != nil {
				m.log.Warn("following what is trusted", "error", err)
			}
		}
	}()
}

func (m *Manager) accessNow() Access {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.access
}

// mayBring refuses what a load request brings and may not. A file that is named by no more than a request's config is
// nobody's that could be asked: libraries, and whatever lies outside of the model's folder, need a flag.
func (m *Manager) mayBring(name string, r Request) error {
	if r.Override == "" && len(r.Files) == 0 {
		return nil
	}
	if !m.accessNow().Overrides {
		return infer.Errorf(infer.InvalidArg, "failed to load '%s': this server takes no config and no files from a load request. %s", name, m.o.Ways.Override)
	}
	cfg, err := modelconfig.UnmarshalJSON([]byte(r.Override))
	if err != nil || m.o.Loader.ExternalPaths {
		return nil // what is wrong with the config is told by who reads it
	}
	if outside := reach.Outside(cfg); len(outside) > 0 {
		return infer.Errorf(infer.InvalidArg, "failed to load '%s': the config of a load request may not name a library or a file outside of the model's folder, "+
			"and its %s is '%s'. Write it into the model's config.pbtxt, or start `conch serve` with --allow-external-paths.", name, outside[0].Field, outside[0].Path)
	}
	return nil
}

// refuseCode refuses a model that runs code of its own, unless that is trusted now.
func (m *Manager) refuseCode(n *node) *failure { return m.refuseCodeUnder(m.accessNow(), n) }

func (m *Manager) refuseCodeUnder(a Access, n *node) *failure {
	if a.Code || !m.runsCode(n.plan) {
		return nil
	}
	code := reach.Code(n.plan.Config)[0]
	return &failure{stage: load, untrusted: true, err: infer.Errorf(infer.InvalidArg,
		"model '%s' runs code of its own, the library '%s' (%s), and this repository is not trusted. %s", n.plan.Source.Name, code.Path, code.Field, m.o.Ways.Trust)}
}

// runsCode says whether a model brings code. A backend that is not here runs nothing; neither does what has no plan, because
// it is being unloaded.
func (m *Manager) runsCode(p *model.Plan) bool {
	return p != nil && len(reach.Code(p.Config)) > 0 && m.o.Loader.Runnable(p.Config.Backend, false)
}
