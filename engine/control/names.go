package control

import (
	"slices"
	"sync"
)

// identity identifies a model under --model-namespacing: the repository is the namespace
// (docs/triton/repository.md, "Several repositories").
type identity struct{ namespace, name string }

// names gives every model a key, which the rest of this package uses: its name, or
// "namespace::name" as in Triton's log. A model that was loaded from a client's files is in no
// namespace.
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

// forget drops a key that belongs to no model.
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
	rest := slices.Clone(n.byName[id.name]) // readers may use the old list
	rest = slices.DeleteFunc(rest, func(other string) bool { return other == key })
	if len(rest) == 0 {
		delete(n.byName, id.name)
	} else {
		n.byName[id.name] = rest
	}
}

// called returns the keys of all models ever seen with this name.
func (n *names) called(name string) []string {
	if !n.namespacing {
		return []string{name}
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.byName[name]
}

// keyOf returns the key of the model in a folder.
func (n *names) keyOf(f *Found) string { return n.key(identity{f.Root, f.Name}) }

// find returns the folders of a model: more than one when repositories share its name without
// namespaces.
func (n *names) find(l *Listing, key string) []Found {
	id := n.identity(key)
	all := l.Find(id.name)
	if !n.namespacing {
		return all
	}
	for i := range all {
		if all[i].Root == id.namespace {
			return all[i : i+1]
		}
	}
	return nil
}

// keysFor returns the models for a load request with this name: all models that have the name.
func (n *names) keysFor(l *Listing, name string) []string {
	if !n.namespacing {
		return []string{name}
	}
	var keys []string
	for _, f := range l.Find(name) {
		keys = append(keys, n.keyOf(&f))
	}
	if len(keys) == 0 {
		keys = append(keys, n.key(identity{name: name}))
	}
	return keys
}

// keysOf returns the models of a listing.
func (n *names) keysOf(l *Listing) []string {
	keys := make([]string, 0, len(l.Models))
	for i := range l.Models {
		keys = append(keys, n.keyOf(&l.Models[i]))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
