package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/engine/kserve/kservepb"
	"conch/repo/scan"
)

// Origin says how the workbench itself makes a model's folder, so that the folder is not told as news.
type Origin int

// The origins.
const (
	// Created is a new model: it is loaded as soon as it can be.
	Created Origin = iota
	// Renamed is a model under another name: who renames it decides whether it is loaded.
	Renamed
)

// arrivals are the models that came into the open repository. Workspace.mu guards it.
type arrivals struct {
	expected map[string]Origin // folders that the workbench itself is making
	waiting  map[string]bool   // models that are loaded once they have a file
	emptied  map[string]bool   // models that were unloaded because their last version goes; they wait once it is gone
	wake     chan struct{}     // has a value when it may be time to load one
}

func newArrivals() arrivals {
	return arrivals{expected: map[string]Origin{}, waiting: map[string]bool{}, emptied: map[string]bool{}, wake: make(chan struct{}, 1)}
}

func (a *arrivals) look() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Expect notes that the workbench itself is making the folder of a model. Where that fails, forget
// takes the note back.
func (u *Stay) Expect(name string, origin Origin) (forget func()) {
	u.s.w.mu.Lock()
	defer u.s.w.mu.Unlock()
	u.s.arrivals.expected[name] = origin
	return func() {
		u.s.w.mu.Lock()
		defer u.s.w.mu.Unlock()
		delete(u.s.arrivals.expected, name)
	}
}

// Emptied notes that the last version of a model was deleted, and the model unloaded for it. It is loaded when it has a version again, as a
// new model is.
func (u *Stay) Emptied(name string) {
	u.s.w.mu.Lock()
	defer u.s.w.mu.Unlock()
	u.s.arrivals.emptied[name] = true
	u.s.noteEmptied(u.s.disk)
}

// Refilled notes that the last version of a model was put back: who did it decides whether the model is loaded.
func (u *Stay) Refilled(name string) {
	u.s.w.mu.Lock()
	defer u.s.w.mu.Unlock()
	delete(u.s.arrivals.emptied, name)
	delete(u.s.arrivals.waiting, name)
}

// noteEmptied needs Workspace.mu.
func (s *openRepository) noteEmptied(next *language.Analysis) {
	for name := range s.arrivals.emptied {
		m, there := next.Model(name)
		if there && len(m.Scan.Versions) > 0 {
			continue // as it was before
		}
		delete(s.arrivals.emptied, name)
		if there {
			s.arrivals.waiting[name] = true
		}
	}
}

// noteArrivals handles the models that an analysis has and the one before did not have. It needs
// Workspace.mu.
func (s *openRepository) noteArrivals(prev, next *language.Analysis, changed []string, c *change) {
	var added []string
	for _, name := range changed {
		if _, known := prev.Model(name); known {
			continue
		}
		origin, expected := s.arrivals.expected[name]
		delete(s.arrivals.expected, name)
		if !expected {
			added = append(added, name)
		}
		if !expected || origin == Created {
			s.arrivals.waiting[name] = true
		}
	}
	s.noteEmptied(next)
	for name := range s.arrivals.waiting {
		if _, there := next.Model(name); !there {
			delete(s.arrivals.waiting, name)
		}
	}
	if len(added) > 0 {
		c.notices = append(c.notices, s.addedNotice(added))
	}
	s.arrivals.look()
}

// arrivedCause is the cause of notices about new models.
const arrivedCause = "added"

func (s *openRepository) addedNotice(names []string) *api.Notice {
	model, text := "", fmt.Sprintf("%d models were added: %s", len(names), listed(names))
	if len(names) == 1 {
		model, text = names[0], names[0]+" was added"
	}
	n := s.notice(api.Notice_LEVEL_INFO, model, text)
	n.Cause = arrivedCause
	return n
}

// listed names the first few.
func listed(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// stopsBefore reports whether Triton stops at a mistake before it looks for what is missing.
func stopsBefore(list []diag.Diagnostic) bool {
	return slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.First && d.Missing == "" })
}

// lacks says what a model on disk needs before it can be loaded, as its problems tell; "" when it has all, or when another mistake
// comes first.
func lacks(on *scan.Model, known finding, list []diag.Diagnostic) string {
	labels := func(d diag.Diagnostic) bool { return d.Missing != "" && d.Code == rule.L8.ID }
	i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Missing != "" && !labels(d) })
	if i < 0 {
		if l := slices.IndexFunc(list, labels); l >= 0 {
			return fmt.Sprintf("It has no label file yet. Put %s into %s, or correct label_filename.", path.Base(list[l].Missing), path.Join(on.Name, path.Dir(list[l].Missing)))
		}
		if known.ensemble && len(known.uses) == 0 {
			return "It has no steps yet. Write them into its config."
		}
		return ""
	}
	if stopsBefore(list) {
		return ""
	}
	version, file, _ := strings.Cut(list[i].Missing, "/")
	who := "It"
	if len(on.Versions) > 1 {
		who = "Version " + version
	}
	switch move := titleOfMove(list[i]); {
	case len(on.Versions) == 0 && move != "":
		return fmt.Sprintf("It has no version folder yet. %s.", apimessage.Sentence(move))
	case file != "" && len(on.Versions) == 0:
		return fmt.Sprintf("It has no version folder yet. Make %s/%s with %s in it.", on.Name, version, file)
	case file == "":
		return fmt.Sprintf("It has no version folder yet. Make %s/%s.", on.Name, version)
	}
	put := fmt.Sprintf("%s has no model file yet. Put %s into %s/%s", who, file, on.Name, version)
	if other := otherFile(on, version, file); other != "" {
		return fmt.Sprintf("%s, or name %s, which is there, in default_model_filename.", put, other)
	}
	return put + "."
}

// titleOfMove is the title of the fix that moves what is there to where Triton looks; "" where there is none.
func titleOfMove(d diag.Diagnostic) string {
	i := slices.IndexFunc(d.Fixes, func(f diag.Fix) bool {
		return slices.ContainsFunc(f.Edits, func(e diag.Edit) bool { return e.From != "" })
	})
	if i < 0 {
		return ""
	}
	return d.Fixes[i].Title
}

// otherFile is the only file of a version that has the ending of one that is missing; "" where there is none, or several.
func otherFile(on *scan.Model, version, missing string) (other string) {
	for _, v := range on.Versions {
		if path.Base(v.Dir) != version {
			continue
		}
		for _, f := range v.Files {
			switch {
			case strings.Contains(f.Path, "/") || path.Ext(f.Path) != path.Ext(missing):
			case other != "":
				return ""
			default:
				other = f.Path
			}
		}
	}
	return other
}

// loadArrivals loads models that came into the repository, as a start loads those that are there. A
// model that is loaded for long does not hold up the others.
func (s *openRepository) loadArrivals() {
	var loads errgroup.Group
	loads.SetLimit(arrivalsAtOnce)
	defer func() { _ = loads.Wait() }()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.arrivals.wake:
		}
		for _, name := range s.takeLoadable() {
			loads.Go(func() error {
				s.loadArrival(name)
				return nil
			})
		}
	}
}

// loadArrival loads one. The engine's events say why a model was not loaded. Where the engine has ended,
// the model waits for the next one.
func (s *openRepository) loadArrival(name string) {
	client, err := s.client()
	if err == nil {
		_, err = client.RepositoryModelLoad(s.ctx, &kservepb.RepositoryModelLoadRequest{ModelName: name})
		if status.Code(err) == codes.Unavailable {
			_, err = client.ServerLive(s.ctx, &kservepb.ServerLiveRequest{})
		} else {
			err = nil
		}
	}
	if err != nil {
		s.putOff(name)
	}
}

// arrivalsAtOnce is how many loads run at the same time. The engine has a limit of its own, too.
const arrivalsAtOnce = 8

// takeLoadable returns the models that can be loaded now. While the engine starts, it loads all that it
// finds by itself.
func (s *openRepository) takeLoadable() (names []string) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.side.isRemote() || s.restoring || s.running.server == nil || len(s.away) > 0 {
		return nil
	}
	for _, name := range sortedKeys(s.arrivals.waiting) {
		m, there := s.disk.Model(name)
		known, judged := s.checking.known[name]
		switch {
		case !there || len(m.Scan.Versions) == 0 || !judged || known.lacks != "":
		case !known.ensemble && known.backend != "" && !slices.Contains(s.running.server.Backends, known.backend):
		default:
			delete(s.arrivals.waiting, name)
			if running := s.running.models[name]; running.GetLoadError() == "" && !hasBegun(running.GetVersions()) {
				names = append(names, name)
			}
		}
	}
	return names
}

// putOff lets a model wait until the engine answers.
func (s *openRepository) putOff(name string) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if _, there := s.disk.Model(name); there {
		s.arrivals.waiting[name] = true
	}
}
