package control

import (
	"slices"
	"sync"

	"conch/engine/infer"
)

// identity tells models of one name apart under --model-namespacing: the repository is the
// namespace (docs/triton/repository.md, "Several repositories").
type identity struct{ namespace, name string }

// names gives every model a key, by which everything else in this package knows it: its name, or "namespace::name", as
// Triton's log has it. A model that was loaded from a client's files is in no namespace.
type names struct {
	namespacing bool

	mu     sync.RWMutex // guards what follows
	ids    map[string]identity
	byName map[string][]string
}

func newNames(namespacing bool) *names {
	return &names{namespacing: namespacing, ids: map[string]identity{}, byName: map[string][]string{}}
}

func (n *names) key(id identity) string {
	if !n.namespacing {
		return id.name
	}
	key := id.name
	if id.namespace != "" {
		key = id.namespace + "::" + id.name
	}
	n.mu.RLock()
	_, known := n.ids[key]
	n.mu.RUnlock()
	if known {
		return key
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, known := n.ids[key]; !known {
		n.ids[key] = id
		n.byName[id.name] = append(n.byName[id.name], key)
	}
	return key
}

func (n *names) identity(key string) identity {
	if !n.namespacing {
		return identity{name: key}
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	if id, known := n.ids[key]; known {
		return id
	}
	return identity{name: key}
}

// forget lets go of a key that is no model's.
func (n *names) forget(key string) {
	if !n.namespacing {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	id, known := n.ids[key]
	if !known {
		return
	}
	delete(n.ids, key)
	rest := slices.DeleteFunc(slices.Clone(n.byName[id.name]), func(other string) bool { return other == key }) // readers have the old list
	if len(rest) == 0 {
		delete(n.byName, id.name)
	} else {
		n.byName[id.name] = rest
	}
}

// called are the keys of all models ever seen that have this name.
func (n *names) called(name string) []string {
	if !n.namespacing {
		return []string{name}
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.byName[name]
}

func (m *Manager) keyOf(f *Found) string { return m.names.key(identity{f.Root, f.Name}) }

// find gives the folders of a model: more than one when repositories share its name and nothing tells them apart.
func (m *Manager) find(l *Listing, key string) []Found {
	id := m.names.identity(key)
	all := l.Find(id.name)
	if !m.names.namespacing {
		return all
	}
	for i := range all {
		if all[i].Root == id.namespace {
			return all[i : i+1]
		}
	}
	return nil
}

// keysFor are the models that a client means who asks for a name to be loaded: all that have it.
func (m *Manager) keysFor(l *Listing, name string) []string {
	if !m.names.namespacing {
		return []string{name}
	}
	var keys []string
	for _, f := range l.Find(name) {
		keys = append(keys, m.keyOf(&f))
	}
	if len(keys) == 0 {
		keys = append(keys, m.names.key(identity{name: name}))
	}
	return keys
}

// keysOf are the models of a listing.
func (m *Manager) keysOf(l *Listing) []string {
	keys := make([]string, 0, len(l.Models))
	for i := range l.Models {
		keys = append(keys, m.keyOf(&l.Models[i]))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// inUse are the keys of the models of a name that somebody wants or that serve. m.mu is held.
func (m *Manager) inUse(name string) (keys []string) {
	for _, key := range m.names.called(name) {
		if e := m.entries[key]; e != nil && (e.wanted || len(e.serving) > 0) {
			keys = append(keys, key)
		}
	}
	return keys
}

// resolve finds the model that a client means.
func (m *Manager) resolve(name string) (string, error) {
	if !m.names.namespacing {
		return name, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch keys := m.inUse(name); len(keys) {
	case 0:
		if !m.started || m.restoring {
			return "", starting(name)
		}
		return "", infer.Errorf(infer.InvalidArg, "Request for unknown model: '%s' is not found", name)
	case 1:
		return keys[0], nil
	default:
		return "", infer.Errorf(infer.InvalidArg, "There are %d identifiers of model '%s' in global map, model namespace must be "+
			"provided to resolve ambiguity.", len(keys), name)
	}
}

// ambiguous is the namespace of what a step names when several other namespaces have it: no model is there.
const ambiguous = "(ambiguous)"

// partKey is the model that a step of an ensemble means: the one in the ensemble's own namespace, or the only one there
// is. m.mu is held.
func (m *Manager) partKey(namespace, part string) string {
	if !m.names.namespacing {
		return part
	}
	own := m.names.key(identity{namespace, part})
	keys := m.inUse(part)
	for _, f := range m.listing.Find(part) {
		if key := m.keyOf(&f); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	switch {
	case slices.Contains(keys, own) || len(keys) == 0:
		return own
	case len(keys) == 1:
		return keys[0]
	}
	return m.names.key(identity{ambiguous, part})
}

// partKeys are the models that an ensemble's steps mean. m.mu is held.
func (m *Manager) partKeys(ensemble string, parts []string) []string {
	if !m.names.namespacing {
		return parts
	}
	keys, namespace := make([]string, len(parts)), m.names.identity(ensemble).namespace
	for i, part := range parts {
		keys[i] = m.partKey(namespace, part)
	}
	return keys
}
