package control

// SetAccess changes what is permitted. In the background, models that waited for trust in their code
// are loaded, and models whose code is no longer trusted are unloaded. Running loads check the access
// themselves, before each step and before they serve.
func (m *Manager) SetAccess(a Access) {
	m.o.Loader.StrictGPU.Store(a.StrictGPU)
	out, in := m.ordersUnder(a)
	if len(in) == 0 {
		return
	}
	m.background(func() {
		for _, orders := range []map[string]order{out, in} {
			if len(orders) == 0 {
				continue
			}
			if _, err := m.ops.carryOut(m.life, orders); err != nil {
				m.log.Warn("following the change of trust", "error", err)
			}
		}
	})
}

// ordersUnder changes what is permitted, and returns the models to unload and then the models to
// load.
func (m *Manager) ordersUnder(a Access) (out, in map[string]order) {
	s := m.state.Lock()
	defer m.state.Unlock()
	changed := a.Code != s.access.Code
	s.access = a
	out, in = map[string]order{}, map[string]order{}
	for key, e := range s.models.entries {
		switch {
		case !changed:
		case a.Code && e.wanted && e.failed != nil && e.failed.untrusted:
			in[key] = order{action: loadModel, explicit: e.explicit}
		case !a.Code && len(e.serving) > 0 && m.gate.runsCode(e.definition):
			out[key] = order{action: unload, explicit: true}
			in[key] = order{action: loadModel, explicit: e.explicit} // it is refused, with the reason
		}
	}
	return out, in
}

// SetReload sets what happens in explicit mode when the files of one model change; "" is the Manager's
// own setting. Earlier changes are handled at once. The model's folder may not exist yet, while it is
// created or renamed: only the workbench calls this, and it knows the names.
func (m *Manager) SetReload(name string, reload Reload) {
	s := m.state.Lock()
	for _, key := range m.names.called(name) {
		if reload != "" || s.models.entries[key] != nil {
			s.models.entry(key).reload = reload
		}
		s.dropUnknown(key)
	}
	m.state.Unlock()
	m.hub.changed(m.names.called(name)...)
	m.follower.follow(m.o.Models.Current())
}
