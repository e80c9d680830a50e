package control

import (
	"slices"
	"strings"
)

// follows says whether a model that was loaded follows its files. m.mu is held.
func (m *Manager) follows(e *entry) bool {
	switch m.o.Mode {
	case Poll:
		return true
	case Explicit:
		return m.reloadOf(e) == OnSave
	}
	return false
}

// reloadOf is what happens in explicit mode when a model's files change. m.mu is held.
func (m *Manager) reloadOf(e *entry) Reload {
	if e != nil && e.reload != "" {
		return e.reload
	}
	return m.o.Reload
}

// followsFiles says the same of a model by its key.
func (m *Manager) followsFiles(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.follows(m.entries[key])
}

// SetReload says what happens in explicit mode when the files of one model change; "" is the Manager's own setting.
// What has changed already is seen to at once. The name may be one whose folder is still being made or renamed: the workbench
// alone says this, and it knows the names.
func (m *Manager) SetReload(name string, reload Reload) {
	m.mu.Lock()
	for _, key := range m.names.called(name) {
		if reload != "" || m.entries[key] != nil {
			m.entry(key).reload = reload
		}
		m.dropUnknown(key)
	}
	m.mu.Unlock()
	m.hub.changed(m.names.called(name)...)
	m.follow(m.o.Library.Current())
}

// changesIn compares a listing with what was looked at last. Models that follow their files get orders; of others
// it is noted whether they have changed.
func (m *Manager) changesIn(l *Listing) map[string]order {
	orders := map[string]order{}
	if m.o.Mode == None {
		return orders
	}
	there := map[string]bool{}
	var noted []string
	m.mu.Lock()
	for i := range l.Models {
		key := m.keyOf(&l.Models[i])
		if there[key] {
			continue
		}
		there[key] = true
		e := m.entries[key]
		switch o, due := m.changeOf(key, m.find(l, key)); {
		case due && m.follows(e):
			orders[key] = o
		case e != nil && e.note(due && len(e.serving) > 0):
			noted = append(noted, key)
		}
	}
	for key, e := range m.entries {
		switch {
		case there[key] || len(e.serving) == 0 && m.newest(key) == nil || m.isGiven(key, e) || m.underWay(key, unload) || m.held(e) != "":
		case m.follows(e):
			orders[key] = order{action: unload}
		case len(e.serving) > 0 && e.note(true):
			noted = append(noted, key)
		}
	}
	m.followed = l
	for key := range orders {
		m.coming[key]++
	}
	m.mu.Unlock()
	slices.Sort(noted)
	m.hub.changed(noted...)
	return orders
}

// note remembers whether the files have changed, and says whether that is news.
func (e *entry) note(changed bool) bool {
	news := e.changed != changed
	e.changed = changed
	return news
}

// changeOf says what a change of a model's folders asks for, if anything. found has more than one
// folder where repositories share the name: Triton then unloads the model when it polls, and
// otherwise leaves it (docs/triton/repository.md, "Several repositories"). m.mu is held.
func (m *Manager) changeOf(key string, found []Found) (order, bool) {
	e := m.entries[key]
	if m.o.Mode == Explicit && (e == nil || !e.wanted) {
		return order{}, false
	}
	shared := e != nil && e.failed != nil && strings.HasPrefix(e.failed.text(), notUnique)
	switch {
	case len(found) > 1 && m.o.Mode == Poll && e != nil && len(e.serving) > 0:
		return order{action: unload}, !m.underWay(key, unload)
	case len(found) > 1:
		return order{action: loadModel}, !shared
	}
	now := lookAt(&found[0], "")
	if t := m.newest(key); t != nil && t.order.action == loadModel {
		return order{action: loadModel}, now != t.disk
	}
	return order{action: loadModel}, e == nil || shared || now != e.disk
}

// isGiven says whether a model comes from a client's files, or will once its newest order is carried out. m.mu is held.
func (m *Manager) isGiven(key string, e *entry) bool {
	if t := m.newest(key); t != nil {
		return t.order.given != nil
	}
	return e.given
}

// underWay says whether the newest order for a model, which is being carried out or waits, is of this kind. m.mu is held.
func (m *Manager) underWay(key string, a action) bool {
	t := m.newest(key)
	return t != nil && t.order.action == a
}
