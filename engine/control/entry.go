package control

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"conch/engine/model"
)

// entry is what the Manager knows of one model; its name is the key. Manager.mu guards it; who changes what serves also holds
// the model's name lock, from before the look to after the change.
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
	// disk is how the model's folder looked at the time; the same as tried, but for a model loaded from a client's files.
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

// entry finds or makes the entry of a name. m.mu is held.
func (m *Manager) entry(name string) *entry {
	e := m.entries[name]
	if e == nil {
		e = &entry{name: name, serving: map[int64]*served{}, status: map[int64]*Status{}, since: time.Now()}
		m.entries[name] = e
	}
	return e
}

// dropUnknown forgets a name that was asked for and that is no model, so that names that clients think up take no memory. m.mu is
// held.
func (m *Manager) dropUnknown(key string) {
	if m.tickets[key] != nil || len(m.find(m.listing, key)) > 0 {
		return
	}
	if e := m.entries[key]; e != nil {
		if len(e.serving) > 0 || len(e.status) > 0 || e.known || e.reload != "" || e.explicit || e.wanted && m.neededBesides(key, "") {
			return
		}
		m.setParts(e, nil)
		delete(m.entries, key)
	}
	m.names.forget(key)
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

// set changes a version's state. m.mu is held.
func (e *entry) set(number int64, s Status) {
	if old := e.status[number]; old == nil || *old != s {
		e.status[number] = &s
		e.since = time.Now()
	}
}
