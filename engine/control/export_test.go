package control

// Kept counts what is kept by name.
func (m *Manager) Kept() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.locks.mu.Lock()
	defer m.locks.mu.Unlock()
	m.names.mu.Lock()
	defer m.names.mu.Unlock()
	return map[string]int{
		"entries": len(m.entries), "tickets": len(m.tickets), "ensembles": len(m.users), "lines": len(m.locks.lines),
		"ids": len(m.names.ids), "names": len(m.names.byName),
	}
}
