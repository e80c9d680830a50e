package control

import (
	"slices"
	"time"
)

// unload takes a model out. It is free when its requests, and those of ensembles made of it, have ended.
func (op *operation) unload(n *node) {
	m := op.m
	m.mu.Lock()
	e := m.entries[n.name]
	if e == nil {
		m.mu.Unlock()
		return
	}
	if n.order.explicit {
		e.wanted, e.explicit = false, false
	}
	e.plan, e.phase, e.loading, e.wasServing, e.stoodDown = nil, "", time.Time{}, false, false
	e.tried, e.disk, e.given, e.changed = look{}, look{}, false, false
	if len(e.serving) > 0 {
		e.failed = nil
	}
	m.mu.Unlock()
	n.out = m.takeOut(n.name)
	if len(n.out) > 0 {
		m.log.Info("model unloaded", "model", n.name)
		m.hub.happened(Happening{Kind: Unloaded, Model: n.name, Version: n.out[len(n.out)-1].Number, Time: time.Now()})
	}
	m.hub.changed(n.name)
}

// orphans are the models of an ensemble's steps that nobody asked for by name and that no other
// wanted ensemble uses (docs/triton/ensembles.md, "Loading and unloading").
func (m *Manager) orphans(ensemble string, parts []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, part := range parts {
		e := m.entries[part]
		if e == nil || e.explicit || m.neededBesides(part, ensemble) {
			continue
		}
		list = append(list, part)
	}
	return list
}

// neededBesides says whether a wanted ensemble other than this one is made of the part. m.mu is held.
func (m *Manager) neededBesides(part, ensemble string) bool {
	for name := range m.users[m.names.identity(part).name] {
		e := m.entries[name]
		if name != ensemble && e.wanted && slices.Contains(m.partKeys(name, e.parts), part) {
			return true
		}
	}
	return false
}
