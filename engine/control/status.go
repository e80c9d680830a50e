package control

import (
	"maps"
	"slices"
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// IndexEntry is one row of the repository index (docs/triton/repository.md, "Index"). State is ""
// for a model that was never loaded; Version is then meaningless.
type IndexEntry struct {
	Name    string
	Version int64
	State   model.State
	Reason  string
}

// duplicated is the reason of a name that several repositories have.
const duplicated = "model appears in two or more repositories"

// NoVersion marks the row of a model that has no version to show.
const NoVersion int64 = -1

// Index lists the folders of the repository with the state of each version ever tried.
func (m *Manager) Index(readyOnly bool) []IndexEntry {
	m.mu.Lock()
	defer m.mu.Unlock()
	var rows []IndexEntry
	for i := range m.listing.Models {
		key := m.keyOf(&m.listing.Models[i])
		if i > 0 && m.keyOf(&m.listing.Models[i-1]) == key {
			continue
		}
		rows = append(rows, m.rows(m.listing, key)...)
	}
	rows = append(rows, m.heldRows()...)
	if readyOnly {
		rows = slices.DeleteFunc(rows, func(r IndexEntry) bool { return r.State != model.Ready })
	}
	return rows
}

// heldRows are those of models that serve although their repository cannot be read. m.mu is held.
func (m *Manager) heldRows() (rows []IndexEntry) {
	for _, key := range slices.Sorted(maps.Keys(m.entries)) {
		e := m.entries[key]
		why := m.held(e)
		if why == "" || len(e.serving) == 0 || len(m.find(m.listing, key)) > 0 {
			continue
		}
		for _, row := range m.rows(m.listing, key) {
			if row.State == model.Ready {
				row.Reason = why
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// rows are those of one model. m.mu is held.
func (m *Manager) rows(l *Listing, key string) []IndexEntry {
	name := m.names.identity(key).name
	if len(m.find(l, key)) > 1 {
		return []IndexEntry{{Name: name, Version: NoVersion, State: model.Unavailable, Reason: duplicated}}
	}
	e := m.entries[key]
	switch {
	case e == nil || len(e.status) == 0 && !e.known:
		return []IndexEntry{{Name: name, Version: NoVersion}}
	case len(e.status) == 0:
		return nil // known, and no version to show: seen on Triton 24.10 after a load that selected nothing
	}
	var rows []IndexEntry
	for _, number := range e.numbers() {
		s := e.status[number]
		rows = append(rows, IndexEntry{Name: name, Version: number, State: s.State, Reason: s.Reason})
	}
	return rows
}

// Ready says whether the start is over and every version of every known model serves, or was
// unloaded on purpose (docs/triton/loading.md, "Readiness").
func (m *Manager) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.started || m.restoring || m.closing {
		return false
	}
	for _, e := range m.entries {
		if e.known && !e.ready() {
			return false
		}
	}
	return true
}

func (e *entry) ready() bool {
	for _, s := range e.status {
		if s.State != model.Ready && (s.State != model.Unavailable || s.Reason != model.Unloaded) {
			return false
		}
	}
	return len(e.status) > 0
}

// ModelStatus is everything that people may want to know of a model.
type ModelStatus struct {
	Name      string
	Versions  []VersionStatus // ascending
	Backend   string          // "" when unknown
	Runnable  bool
	LoadError string // why the newest load failed; "" when it succeeded
	Since     time.Time
	Instances int
	Memory    uint64
	Phase     string    // what the load under way does
	Loading   time.Time // when it began; zero when none is under way
	Explicit  bool
	Namespace string // under --model-namespacing; "" otherwise
	Reload    Reload // what happens in explicit mode when its files change
	Changed   bool   // they have, and it does not follow them
	// FromClient: what serves was loaded with a config that a client sent, and not with the file's.
	FromClient bool
}

// VersionStatus is a version and where it stands.
type VersionStatus struct {
	Number int64
	Status
}

// Names are the keys of all models that are on disk or serve, sorted: names, or namespaces with names.
func (m *Manager) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := map[string]bool{}
	for i := range m.listing.Models {
		names[m.keyOf(&m.listing.Models[i])] = true
	}
	for name, e := range m.entries {
		if len(e.serving) > 0 {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Status tells of one model by its key; false when it is neither on disk nor serving.
func (m *Manager) Status(key string) (ModelStatus, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, id := m.entries[key], m.names.identity(key)
	onDisk := len(m.find(m.listing, key)) > 0
	switch {
	case !onDisk && (e == nil || len(e.serving) == 0):
		return ModelStatus{}, false
	case e == nil:
		return ModelStatus{Name: id.name, Namespace: id.namespace, Runnable: true, Reload: m.o.Reload}, true
	}
	return m.statusOf(e), true
}

func (m *Manager) statusOf(e *entry) ModelStatus {
	id := m.names.identity(e.name)
	s := ModelStatus{
		Name: id.name, Namespace: id.namespace, Runnable: true, Since: e.since, Phase: e.phase, Loading: e.loading, Explicit: e.explicit,
		Reload: m.reloadOf(e), Changed: e.changed, FromClient: e.fromClient(),
	}
	for _, number := range e.numbers() {
		s.Versions = append(s.Versions, VersionStatus{Number: number, Status: *e.status[number]})
	}
	for _, v := range e.versions() {
		s.Instances += v.Instances()
		s.Memory += v.MemoryBytes()
	}
	if e.failed != nil {
		s.LoadError = e.failed.text()
	}
	if e.backend != "" || len(e.parts) > 0 {
		s.Backend = e.backend
		s.Runnable = m.o.Loader.Runnable(e.backend, len(e.parts) > 0)
	}
	return s
}

// fromClient says whether what serves was loaded with a config that a client sent.
func (e *entry) fromClient() bool {
	return len(e.serving) > 0 && e.plan != nil && e.plan.Source.Override != ""
}

// Serving are all versions that serve, by name and number, for counting.
func (m *Manager) Serving() []*model.Version {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []*model.Version
	for _, name := range slices.Sorted(maps.Keys(m.entries)) {
		list = append(list, m.entries[name].versions()...)
	}
	return list
}

// NotStatistics is what Triton says when asked for the numbers of something that does not serve.
func NotStatistics(name string, version int64) error {
	if version == infer.Latest {
		return infer.Errorf(infer.InvalidArg, "requested model '%s' is not available", name)
	}
	return infer.Errorf(infer.InvalidArg, "requested model version is not available for model '%s'", name)
}
