package control

import (
	"maps"
	"slices"

	"conch/engine/backend"
	"conch/engine/model"
)

// imports are files outside of a model's folder that its code came from, with how each looked in the newest listing, or before the first
// at its load. The model follows them as it follows the files of its folder.
type imports struct {
	looks   map[string]backend.FileLook
	changes uint64   // in all
	news    []string // those that have changed since the newest load, sorted
}

// add adds files of a load. What is known of a file already is newer.
func (i *imports) add(list []backend.Import) {
	for _, one := range list {
		if _, known := i.looks[one.Path]; known {
			continue
		}
		if i.looks == nil {
			i.looks = map[string]backend.FileLook{}
		}
		i.looks[one.Path] = one.Look
	}
}

// see notes how a listing shows the files, and reports whether one has changed.
func (i *imports) see(l *Listing) (changed bool) {
	for path, before := range i.looks {
		now, seen := l.Outside[path]
		if !seen || now == before {
			continue
		}
		i.looks[path] = now
		i.changes++
		changed = true
		if at, known := slices.BinarySearch(i.news, path); !known {
			i.news = slices.Insert(i.news, at, path)
		}
	}
	return changed
}

// loaded forgets the files of which no serving version is made, and returns those that had changed before the load.
func (i *imports) loaded(serving []*model.Version) (because []string) {
	before := i.looks
	i.looks = nil
	for _, v := range serving {
		for _, one := range v.Imports() {
			if look, known := before[one.Path]; known {
				one.Look = look
			}
			i.add([]backend.Import{one})
		}
	}
	return i.takeNews()
}

// takeNews returns the files that have changed since the newest load, which is now.
func (i *imports) takeNews() []string {
	news := i.news
	i.news = nil
	return news
}

// forget forgets the files of a model that is unloaded.
func (i *imports) forget() { i.looks, i.news = nil, nil }

// changesOfImports counts how often a file changed that a model's code came from.
func (m *models) changesOfImports(key string) uint64 {
	if e := m.entries[key]; e != nil {
		return e.imports.changes
	}
	return 0
}

// seeImports notes how a listing shows the imports of each model, and returns the models of which one has changed.
func (m *models) seeImports(l *Listing) (changed []string) {
	if len(l.Outside) == 0 {
		return nil
	}
	for key, e := range m.entries {
		if e.imports.see(l) {
			changed = append(changed, key)
		}
	}
	return changed
}

func (c *core) changesOfImports(key string) uint64 {
	s := c.state.Lock()
	defer c.state.Unlock()
	return s.models.changesOfImports(key)
}

// noteImports notes files that the code of a version came from, which serves or is being loaded.
func (c *core) noteImports(v *model.Version) {
	key := c.names.key(identity{v.Namespace, v.Name})
	s := c.state.Lock()
	e := s.models.entries[key]
	if e == nil || e.loading.IsZero() && !slices.Contains(e.versions(), v) {
		c.state.Unlock()
		return // its load has ended
	}
	e.imports.add(v.Imports())
	c.state.Unlock()
	c.watchImports()
}

// watchImports has the source look at the imports of all models.
func (c *core) watchImports() {
	if c.o.Mode == None {
		return
	}
	watched := c.watching.Lock()
	defer c.watching.Unlock()
	if now := c.imports(); !slices.Equal(now, *watched) {
		*watched = now
		c.o.Models.Watch(now)
	}
}

// imports lists the imports of all models.
func (c *core) imports() []string {
	s := c.state.Lock()
	defer c.state.Unlock()
	all := map[string]bool{}
	for _, e := range s.models.entries {
		for path := range e.imports.looks {
			all[path] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
