package control

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"conch/configedit/folder"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/placement"
)

// IndexEntry is one row of the repository index (docs/triton/repository.md, "Index"). State is ""
// for a model that was never loaded; Version is then meaningless.
type IndexEntry struct {
	Name    string
	Version int64
	State   model.State
	Reason  string
}

// duplicated is the reason for a name that several repositories have.
const duplicated = "model appears in two or more repositories"

// NoVersion marks the row of a model without a version to show.
const NoVersion int64 = -1

// Overview returns information about a Manager's models.
type Overview struct{ *core }

// Index lists the folders of the repository with the state of each version ever tried.
func (o *Overview) Index(readyOnly bool) []IndexEntry {
	s := o.state.Lock()
	roots := s.listing.Roots
	o.state.Unlock()
	there := foldersOf(roots)
	s = o.state.Lock()
	defer o.state.Unlock()
	var rows []IndexEntry
	for i := range s.listing.Models {
		key := s.names.keyOf(&s.listing.Models[i])
		if i > 0 && s.names.keyOf(&s.listing.Models[i-1]) == key {
			continue
		}
		if gone := there != nil && !there[s.listing.Models[i].Name]; !gone {
			rows = append(rows, s.rows(key)...)
		}
	}
	rows = append(rows, s.heldRows()...)
	rows = withFolders(rows, there, s.listing)
	if readyOnly {
		rows = slices.DeleteFunc(rows, func(r IndexEntry) bool { return r.State != model.Ready })
	}
	return rows
}

// foldersOf returns the names of the folders that are in the repositories now; nil when one cannot be read. Triton takes
// each for a model (docs/triton/repository.md, "Index").
func foldersOf(roots []FoundRoot) map[string]bool {
	names := map[string]bool{}
	for _, root := range roots {
		entries, err := os.ReadDir(root.Path)
		if err != nil {
			return nil
		}
		for _, e := range entries {
			is := e.IsDir()
			if e.Type()&os.ModeSymlink != 0 {
				info, err := os.Stat(filepath.Join(root.Path, e.Name()))
				is = err == nil && info.IsDir()
			}
			if is {
				names[folder.Name(e.Name())] = true
			}
		}
	}
	return names
}

// withFolders adds the folders that the listing does not have: those that are no models here, and those that are too new.
// They have a name only.
func withFolders(rows []IndexEntry, there map[string]bool, listing *Listing) []IndexEntry {
	for i := range listing.Models {
		delete(there, listing.Models[i].Name)
	}
	for name := range there {
		rows = append(rows, IndexEntry{Name: name, Version: NoVersion})
	}
	slices.SortStableFunc(rows, func(a, b IndexEntry) int { return strings.Compare(a.Name, b.Name) })
	return rows
}

// heldRows returns the rows of models that serve although their repository cannot be read.
func (s *state) heldRows() (rows []IndexEntry) {
	for _, key := range slices.Sorted(maps.Keys(s.models.entries)) {
		why := s.held(key)
		if why == "" || !s.models.serves(key) || len(s.names.find(s.listing, key)) > 0 {
			continue
		}
		for _, row := range s.rows(key) {
			if row.State == model.Ready {
				row.Reason = why
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// rows returns the rows of one model.
func (s *state) rows(key string) []IndexEntry {
	name := s.names.identity(key).name
	if len(s.names.find(s.listing, key)) > 1 {
		return []IndexEntry{{Name: name, Version: NoVersion, State: model.Unavailable, Reason: duplicated}}
	}
	e := s.models.entries[key]
	switch {
	case e == nil || len(e.status) == 0 && !e.known:
		return []IndexEntry{{Name: name, Version: NoVersion}}
	case len(e.status) == 0:
		return nil // known, but without a version to show: seen on Triton 24.10 after a load that selected nothing
	}
	var rows []IndexEntry
	for _, number := range e.numbers() {
		status := e.current(number)
		rows = append(rows, IndexEntry{Name: name, Version: number, State: status.State, Reason: status.Reason})
	}
	return rows
}

// WithoutVersion returns the models that a load found no version of, sorted. They are not in the index.
func (o *Overview) WithoutVersion() (names []string) {
	s := o.state.Lock()
	defer o.state.Unlock()
	for key, e := range s.models.entries {
		if e.known && e.failed != nil && e.failed.stage == selection && len(e.status) == 0 {
			names = append(names, s.names.identity(key).name)
		}
	}
	slices.Sort(names)
	return names
}

// Ready reports whether the start is over and every version of every known model serves, or was
// unloaded on purpose (docs/triton/loading.md, "Readiness").
func (o *Overview) Ready() bool {
	s := o.state.Lock()
	defer o.state.Unlock()
	if !s.settled() || s.closing {
		return false
	}
	for _, e := range s.models.entries {
		if e.known && !e.ready() {
			return false
		}
	}
	return true
}

func (e *entry) ready() bool {
	for number := range e.status {
		s := e.current(number)
		if s.State != model.Ready && (s.State != model.Unavailable || s.Reason != model.Unloaded) {
			return false
		}
	}
	return len(e.status) > 0
}

// current returns the state of a version. A serving version may have instances that died.
func (e *entry) current(number int64) Status {
	s := *e.status[number]
	serving := e.serving[number]
	if serving == nil {
		return s
	}
	why, down := serving.version.Trouble()
	if why != "" {
		s.Reason = why
	}
	if down {
		s.State = model.Unavailable
		s.Died, s.Again = true, serving.version.Begins()
	}
	return s
}

// ModelStatus is all information about a model for people.
type ModelStatus struct {
	Name      string
	Versions  []VersionStatus // ascending
	Backend   string          // "" when unknown
	Runnable  bool
	LoadError string // why the newest load failed; "" when it succeeded
	Since     time.Time
	Loaded    time.Time // when the newest load that changed what serves ended; zero for none
	Instances int
	Memory    uint64           // the sum of Devices
	Devices   []backend.Memory // its memory on each device
	Runs      []string         // where its instances run, each once: "CPU", "GPU 0", "WebGPU"
	Elsewhere []placement.Note // its groups that do not run on the GPUs that they ask for, and idle accelerators for GPUs
	Phase     string           // the phase of the load under way
	Loading   time.Time        // when it began; zero when none is under way
	Explicit  bool
	Namespace string // under --model-namespacing; "" otherwise
	Reload    Reload // what happens in explicit mode when its files change
	Changed   bool   // its files have changed, and it does not follow them
	// ChangedImports are those of the changed files that lie outside of its folder.
	ChangedImports []string
	// FromClient is true if the serving versions were loaded with a client's config, not with the
	// file's.
	FromClient bool
	// PartUnloaded is true for an ensemble that does not serve because a model of its steps was unloaded by
	// its name.
	PartUnloaded bool
	// WaitsForTrust is true if the newest load was refused only because code is not trusted: the code of
	// the model, or that of models that an ensemble is made of.
	WaitsForTrust bool
	// WithoutStrict is where and why the model would run if its newest load were not refused only because models whose GPUs are missing are
	// (placement.Strict); "" otherwise.
	WithoutStrict string
	// Offer is what could be installed for the model; nil for nothing.
	Offer *backend.Offer
	// Calls are the models that its serving versions have called, each once.
	Calls []string
}

// addMemory adds the memory of a version.
func (s *ModelStatus) addMemory(list []backend.Memory) {
	for _, m := range list {
		s.Memory += m.Bytes
		i := slices.IndexFunc(s.Devices, func(known backend.Memory) bool { return known.Device == m.Device })
		if i < 0 {
			s.Devices = append(s.Devices, m)
		} else {
			s.Devices[i].Bytes += m.Bytes
		}
	}
}

// addPlacement adds where a version runs. Its versions share a config, and so the notes of one are enough.
func (s *ModelStatus) addPlacement(p placement.Plan) {
	for _, name := range p.Names() {
		if !slices.Contains(s.Runs, name) {
			s.Runs = append(s.Runs, name)
		}
	}
	s.Elsewhere = p.Notes
}

// addCalls adds the models that a version has called.
func (s *ModelStatus) addCalls(v *model.Version) {
	called, _ := v.Called()
	for _, c := range called {
		if !slices.Contains(s.Calls, c.Model) {
			s.Calls = append(s.Calls, c.Model)
		}
	}
}

// VersionStatus is a version and its state.
type VersionStatus struct {
	Number int64
	Status
}

// Names returns the sorted keys of all models that are on disk or serve: names, or namespaces with
// names.
func (o *Overview) Names() []string {
	s := o.state.Lock()
	defer o.state.Unlock()
	names := map[string]bool{}
	for i := range s.listing.Models {
		names[s.names.keyOf(&s.listing.Models[i])] = true
	}
	for name, e := range s.models.entries {
		if len(e.serving) > 0 {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Status returns the status of one model by its key; false when it is neither on disk nor serving.
func (o *Overview) Status(key string) (ModelStatus, bool) {
	s := o.state.Lock()
	defer o.state.Unlock()
	e, id := s.models.entries[key], s.names.identity(key)
	onDisk := len(s.names.find(s.listing, key)) > 0
	switch {
	case !onDisk && (e == nil || len(e.serving) == 0):
		return ModelStatus{}, false
	case e == nil:
		return ModelStatus{Name: id.name, Namespace: id.namespace, Runnable: true, Reload: s.reload}, true
	}
	return o.statusOf(s, e), true
}

// statusOf returns the status of a known model.
func (o *Overview) statusOf(s *state, e *entry) ModelStatus {
	id := o.names.identity(e.name)
	status := ModelStatus{
		Name: id.name, Namespace: id.namespace, Runnable: true, Since: e.since, Loaded: e.loaded, Phase: e.phase,
		Loading: e.loading, Explicit: e.explicit,
		Reload: s.reloadOf(e.name), Changed: e.changed, ChangedImports: slices.Clone(e.imports.news), FromClient: e.fromClient(), PartUnloaded: s.partUnloaded(e),
		WaitsForTrust: s.waitsForTrust(e),
	}
	for _, number := range e.numbers() {
		status.Versions = append(status.Versions, VersionStatus{Number: number, Status: e.current(number)})
	}
	for _, v := range e.versions() {
		status.Instances += v.Instances()
		status.addMemory(v.Memory())
		status.addPlacement(v.Placement())
		status.addCalls(v)
	}
	if e.failed != nil {
		status.LoadError, status.WithoutStrict = e.failed.text(), e.failed.withoutStrict()
	}
	if e.backend != "" || len(e.parts) > 0 {
		status.Backend = e.backend
		status.Runnable = o.o.Loader.Runnable(e.backend, len(e.parts) > 0)
	}
	status.Offer = o.offer(s, e)
	return status
}

// offer returns what the backend of a model could install for it.
func (o *Overview) offer(s *state, e *entry) *backend.Offer {
	installer, ok := o.o.Loader.Backends[e.backend].(backend.Installer)
	if !ok {
		return nil
	}
	for _, found := range s.names.find(s.listing, e.name) {
		if offer := installer.Offer(found.Dir); offer != nil {
			return offer
		}
	}
	return nil
}

// fromClient reports whether the serving versions were loaded with a client's config.
func (e *entry) fromClient() bool {
	return len(e.serving) > 0 && e.definition != nil && e.definition.Source.Override != ""
}

// Serving returns all serving versions, by name and number, for counting.
func (o *Overview) Serving() []*model.Version {
	s := o.state.Lock()
	defer o.state.Unlock()
	var list []*model.Version
	for _, name := range slices.Sorted(maps.Keys(s.models.entries)) {
		list = append(list, s.models.entries[name].versions()...)
	}
	return list
}

// Started reports whether each model of the start is loaded or has failed.
func (o *Overview) Started() bool {
	s := o.state.Lock()
	defer o.state.Unlock()
	return s.started
}

// Settled reports whether the start is over, including the models that are restored after it.
func (o *Overview) Settled() bool {
	s := o.state.Lock()
	defer o.state.Unlock()
	return s.settled()
}

// Watch begins to collect changes.
func (o *Overview) Watch() *Watcher { return o.hub.watch() }

// NotStatistics returns Triton's error for the statistics of a version that does not serve.
func NotStatistics(name string, version int64) error {
	if version == infer.Latest {
		return infer.Errorf(infer.InvalidArg, "requested model '%s' is not available", name)
	}
	return infer.Errorf(infer.InvalidArg, "requested model version is not available for model '%s'", name)
}
