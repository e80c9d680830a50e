package control

// SetAccess changes what is let in. Models that waited for their code to be trusted are loaded, and
// those whose code is not trusted any more are unloaded, in the background. What is being loaded asks
// for itself, before each step and when it is about to serve.
func (m *Manager) SetAccess(a Access) {
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
				m.log.Warn("following what is trusted", "error", err)
			}
		}
	})
}

// ordersUnder changes what is let in, and gives the models to unload and then those to load for it.
func (m *Manager) ordersUnder(a Access) (out, in map[string]order) {
	s := m.state.lock()
	defer m.state.unlock()
	changed := a.Code != s.access.Code
	s.access = a
	out, in = map[string]order{}, map[string]order{}
	for key, e := range s.models.entries {
		switch {
		case !changed:
		case a.Code && e.wanted && e.failed != nil && e.failed.untrusted:
			in[key] = order{action: loadModel, explicit: e.explicit}
		case !a.Code && len(e.serving) > 0 && m.gate.runsCode(e.plan):
			out[key] = order{action: unload, explicit: true}
			in[key] = order{action: loadModel, explicit: e.explicit} // is refused, and says why
		}
	}
	return out, in
}

// SetReload says what happens in explicit mode when the files of one model change; "" is the Manager's
// own setting. What has changed already is seen to at once. The name may be one whose folder is still
// being made or renamed: the workbench alone says this, and it knows the names.
func (m *Manager) SetReload(name string, reload Reload) {
	s := m.state.lock()
	for _, key := range m.names.called(name) {
		if reload != "" || s.models.entries[key] != nil {
			s.models.entry(key).reload = reload
		}
		s.dropUnknown(key)
	}
	m.state.unlock()
	m.hub.changed(m.names.called(name)...)
	m.follower.follow(m.o.Library.Current())
}
