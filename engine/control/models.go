package control

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// entry is what a Manager knows of one model; its name is the key. It belongs to state; who changes
// what serves also holds the model's name lock, from before the look to after the change.
type entry struct {
	name string
	// wanted: it was asked for, or an ensemble that was asked for is made of it. explicit: by its own name.
	wanted, explicit bool
	// known: a load came as far as choosing versions, so that the server's readiness depends on the
	// model (docs/triton/loading.md, "Readiness").
	known   bool
	serving map[int64]*served
	status  map[int64]*Status
	parts   []string // names of the models that its steps name, from the newest config that could be read
	backend string   // likewise; "" for an ensemble or when unknown
	plan    *model.Plan
	root    string // the repository that what serves was loaded from
	// tried is what the newest attempt to load looked at, good or bad.
	tried look
	// disk is how the model's folder looked at the time; the same as tried, but for a model loaded
	// from a client's files.
	disk    look
	given   bool     // loaded from a client's files
	reload  Reload   // what happens when its files change; "" for the Manager's setting
	changed bool     // its files have changed, and it does not follow them
	failed  *failure // of the newest attempt; nil when it succeeded
	retries int      // since the newest load that went well or was asked for
	// stoodDown: a load was given up for a newer order, which has not told yet how it ended.
	stoodDown bool
	phase     string
	loading   time.Time // when the load under way began; zero for none
	since     time.Time
	// wasServing tells a reload from a load.
	wasServing bool
}

// served is a version in service and what it was made from.
type served struct {
	version *model.Version
	print   string
}

// Status is where a version stands.
type Status struct {
	State  model.State
	Reason string
	// NewestFailed: it serves although a newer build of it did not load.
	NewestFailed bool
}

// look is what was seen of a model's files. Two looks are the same when Triton would see no change.
type look struct {
	config, files string
	versions      string // numbers and prints
	override      string
}

func lookAt(f *Found, override string) look {
	l := look{config: f.ConfigPrint, files: f.FilesPrint, override: override}
	for _, v := range f.Versions {
		l.versions += v.Dir + "\x00" + v.Print + "\x00"
	}
	if f.Trouble != nil {
		l.config += "\x00" + f.Trouble.Error()
	}
	return l
}

// sameFiles compares all but the override, which is no file.
func (l look) sameFiles(other look) bool {
	l.override = other.override
	return l == other
}

// models is the table of all models that something is known of.
type models struct {
	entries map[string]*entry
	// users are the ensembles made of a model, by the model's name in their configs; each of them has
	// an entry.
	users map[string]map[string]bool
}

func newModels() models {
	return models{entries: map[string]*entry{}, users: map[string]map[string]bool{}}
}

// entry finds or makes the entry of a model.
func (m *models) entry(key string) *entry {
	e := m.entries[key]
	if e == nil {
		e = &entry{name: key, serving: map[int64]*served{}, status: map[int64]*Status{}, since: time.Now()}
		m.entries[key] = e
	}
	return e
}

// drop forgets a model.
func (m *models) drop(e *entry) {
	m.setParts(e, nil)
	delete(m.entries, e.name)
}

// setParts notes what an ensemble is made of.
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

// serves says whether a version of a model serves.
func (m *models) serves(key string) bool {
	e := m.entries[key]
	return e != nil && len(e.serving) > 0
}

// plan is what serves of a model was made from; nil when nothing does.
func (m *models) plan(key string) *model.Plan {
	if !m.serves(key) {
		return nil
	}
	return m.entries[key].plan
}

// numbers are the versions ever tried, ascending.
func (e *entry) numbers() []int64 { return slices.Sorted(maps.Keys(e.status)) }

// versions are those in service, ascending.
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

// idle notes that no load is under way.
func (e *entry) idle() { e.phase, e.loading, e.stoodDown = "", time.Time{}, false }

// note remembers whether the files have changed, and says whether that is news.
func (e *entry) note(changed bool) bool {
	news := e.changed != changed
	e.changed = changed
	return news
}

// reject marks the versions after a failed load.
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

// fell notes why an ensemble serves no more.
func (e *entry) fell(f *failure) { e.failed, e.wasServing = f, false }
