package control

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// entry is a Manager's data of one model; its name is the key. It belongs to state. Code that
// changes the serving versions also holds the model's name lock, from before the look until after
// the change.
type entry struct {
	name string
	// wanted is true if the model, or an ensemble made of it, was requested. explicit is true if it was
	// requested by its own name.
	wanted, explicit bool
	// known is true if a load got as far as selecting versions, so that the server's readiness
	// depends on the model (docs/triton/loading.md, "Readiness").
	known      bool
	serving    map[int64]*served
	status     map[int64]*Status
	parts      []string // names of its steps' models, from the newest readable config
	backend    string   // from the same config; "" for an ensemble or when unknown
	definition *model.Definition
	root       string // the repository of the serving versions
	// tried is the look of the newest attempt to load, even if it failed.
	tried look
	// disk is the look of the model's folder at that time. It differs from tried only for a model
	// loaded from a client's files.
	disk    look
	given   bool     // loaded from a client's files
	reload  Reload   // what happens when its files change; "" for the Manager's setting
	changed bool     // its files have changed, and it does not follow them
	imports imports  // files outside of its folder that its code came from
	failed  *failure // the failure of the newest attempt; nil when it succeeded
	retries int      // since the newest load that succeeded or was requested
	// stoodDown is true if a load was stopped for a newer order that has not ended yet.
	stoodDown bool
	phase     string
	loading   time.Time // when the load under way began; zero for none
	since     time.Time
	loaded    time.Time // when the newest load that changed what serves ended; zero for none
	// wasServing is true for a reload, false for a first load.
	wasServing bool
}

// served is a serving version and what it was built from.
type served struct {
	version *model.Version
	print   string
}

// Status is the state of a version.
type Status struct {
	State  model.State
	Reason string
	// NewestFailed is true if the version serves but a newer build of it failed to load.
	NewestFailed bool
	// Died is true if the version is unavailable only because its instances died. They are made again at Again, or now if that is zero.
	Died  bool
	Again time.Time
}

// look is a summary of a model's files. Two looks are equal when Triton sees no change.
type look struct {
	config, files string
	versions      string // numbers and prints
	imports       uint64 // how often an import had changed by then
	override      string
}

func lookAt(f *Found, imports uint64, override string) look {
	l := look{config: f.ConfigPrint, files: f.FilesPrint, imports: imports, override: override}
	for _, v := range f.Versions {
		l.versions += v.Dir + "\x00" + v.Print + "\x00"
	}
	if f.Trouble != nil {
		l.config += "\x00" + f.Trouble.Error()
	}
	return l
}

// sameFiles compares everything except the override, which is not a file.
func (l look) sameFiles(other look) bool {
	l.override = other.override
	return l == other
}

// models is the table of all known models.
type models struct {
	entries map[string]*entry
	// users are the ensembles made of a model, by the model's name in their configs. Each ensemble
	// has an entry.
	users map[string]map[string]bool
}

func newModels() models {
	return models{entries: map[string]*entry{}, users: map[string]map[string]bool{}}
}

// entry returns the entry of a model, and creates it if needed.
func (m *models) entry(key string) *entry {
	e := m.entries[key]
	if e == nil {
		e = &entry{name: key, serving: map[int64]*served{}, status: map[int64]*Status{}, since: time.Now()}
		m.entries[key] = e
	}
	return e
}

// drop removes a model.
func (m *models) drop(e *entry) {
	m.setParts(e, nil)
	delete(m.entries, e.name)
}

// setParts records the models of an ensemble.
func (m *models) setParts(e *entry, parts []string) {
	for _, part := range e.parts {
		if delete(m.users[part], e.name); len(m.users[part]) == 0 {
			delete(m.users, part)
		}
	}
	e.parts = parts
	for _, part := range parts {
		if m.users[part] == nil {
			m.users[part] = map[string]bool{}
		}
		m.users[part][e.name] = true
	}
}

// serves reports whether a version of a model serves.
func (m *models) serves(key string) bool {
	e := m.entries[key]
	return e != nil && len(e.serving) > 0
}

// definition returns the definition of a model's serving versions; nil when none serves.
func (m *models) definition(key string) *model.Definition {
	if !m.serves(key) {
		return nil
	}
	return m.entries[key].definition
}

// numbers returns the versions ever tried, ascending.
func (e *entry) numbers() []int64 { return slices.Sorted(maps.Keys(e.status)) }

// versions returns the serving versions, ascending.
func (e *entry) versions() []*model.Version {
	list := make([]*model.Version, 0, len(e.serving))
	for _, s := range e.serving {
		list = append(list, s.version)
	}
	slices.SortFunc(list, func(a, b *model.Version) int { return cmp.Compare(a.Number, b.Number) })
	return list
}

// set changes a version's state.
func (e *entry) set(number int64, s Status) {
	if old := e.status[number]; old == nil || *old != s {
		e.status[number] = &s
		e.since = time.Now()
	}
}

// idle records that no load is under way.
func (e *entry) idle() { e.phase, e.loading, e.stoodDown = "", time.Time{}, false }

// note records whether the files have changed, and reports whether the record changed.
func (e *entry) note(changed bool) bool {
	news := e.changed != changed
	e.changed = changed
	return news
}

// reject sets the versions' states after a failed load.
func (e *entry) reject(f *failure) {
	for _, number := range e.numbers() {
		switch s := *e.status[number]; {
		case e.serving[number] != nil:
			e.set(number, Status{State: model.Ready, NewestFailed: true})
		case infer.CodeOf(f.versions[number]) == infer.Cancelled && f.versions[number] != nil: // nobody waits for it
			e.set(number, Status{State: model.Unavailable, Reason: model.Unloaded})
		case f.versions[number] != nil:
			e.set(number, Status{State: model.Unavailable, Reason: coded(f.versions[number])})
		case s.State == model.Loading:
			e.set(number, Status{State: model.Unavailable, Reason: model.Unloaded})
		}
	}
}

// fell records why an ensemble no longer serves.
func (e *entry) fell(f *failure) { e.failed, e.wasServing = f, false }
