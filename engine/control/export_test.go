package control

// Kept counts the entries that are kept by name.
func (m *Manager) Kept() map[string]int {
	s := m.state.Lock()
	defer m.state.Unlock()
	lines := m.ops.locks.Lock()
	defer m.ops.locks.Unlock()
	m.names.mu.Lock()
	defer m.names.mu.Unlock()
	return map[string]int{
		"entries": len(s.models.entries), "tickets": len(s.orders.tickets), "runs": len(s.orders.byRun), "ensembles": len(s.models.users),
		"lines": len(lines.byName), "ids": len(m.names.ids), "names": len(m.names.byName),
	}
}

// RootTroubles returns why repositories cannot be followed, by path.
func (m *Manager) RootTroubles() map[string]string {
	s := m.state.Lock()
	defer m.state.Unlock()
	troubles := map[string]string{}
	for path, root := range s.roots {
		if root.trouble != "" {
			troubles[path] = root.trouble
		}
	}
	return troubles
}

// Follow acts on a listing as if the source had just sent it.
func (m *Manager) Follow(l *Listing) { m.follower.follow(l) }
