package workspace

import (
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/reach"
)

// publishEvery is how long results of the background checks are collected: short enough to show
// progress in a large repository, without an update for each of its models.
const publishEvery = 50 * time.Millisecond

// checkQueue has the models that wait for a check, and the results. Workspace.mu guards it.
type checkQueue struct {
	waiting map[string]bool
	wake    chan struct{}
	known   map[string]finding
	coded   map[string]bool // of known, those with code of their own
}

// finding is the result of a check of a model.
type finding struct {
	kind     string
	runtime  string
	backend  string
	ensemble bool
	uses     []string
	policy   *modelconfig.ModelVersionPolicy // of the saved config
	lacks    string                          // what it needs before it can be loaded; "" when it has it
	lacking  *language.Model                 // the saved model that lacks it
	code     []reach.File                    // its own code
	problems []*api.FileProblems
}

func (q *checkQueue) add(names []string) {
	if q.waiting == nil {
		q.waiting, q.known, q.coded = map[string]bool{}, map[string]finding{}, map[string]bool{}
	}
	for _, name := range names {
		q.waiting[name] = true
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// learn keeps the result for a model.
func (q *checkQueue) learn(name string, f finding) {
	q.known[name] = f
	delete(q.coded, name)
	if len(f.code) > 0 {
		q.coded[name] = true
	}
}

// forget removes what is known of a model.
func (q *checkQueue) forget(name string) {
	delete(q.known, name)
	delete(q.coded, name)
}

// check judges what changed, in the background. When a newer scan comes, the rest is judged in that.
func (s *openRepository) check() {
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.checking.wake:
		}
		for s.checkSome() {
		}
	}
}

// checkSome judges waiting models until it is time to publish. It returns false when none is left.
func (s *openRepository) checkSome() bool {
	analysis, names := s.takeWaiting()
	if len(names) == 0 || s.ctx.Err() != nil {
		return false
	}
	found := make(map[string]finding, len(names))
	begun := time.Now()
	for i, name := range names {
		if m, ok := analysis.Model(name); ok {
			found[name] = examine(analysis, m, s.known(name))
		}
		if s.ctx.Err() != nil {
			return false
		}
		if time.Since(begun) > publishEvery || s.currentAnalysis() != analysis {
			s.putBack(names[i+1:])
			break
		}
	}
	s.apply(func(c *change) []string { return s.noteFindings(analysis, found, c) })
	return true
}

func (s *openRepository) takeWaiting() (*language.Analysis, []string) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	names := sortedKeys(s.checking.waiting)
	s.checking.waiting = map[string]bool{}
	return s.analysis, names
}

// known returns the result of the last check of a model.
func (s *openRepository) known(name string) finding {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	return s.checking.known[name]
}

func (s *openRepository) putBack(names []string) {
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	s.checking.add(names)
}

// noteFindings takes over results, except those of models that have changed since.
func (s *openRepository) noteFindings(analysis *language.Analysis, found map[string]finding, c *change) []string {
	var touched []string
	for _, name := range sortedKeys(found) {
		judged, _ := analysis.Model(name)
		if now, ok := s.analysis.Model(name); !ok || now != judged {
			continue
		}
		f := found[name]
		s.checking.learn(name, f)
		s.showProblems(name, c)
		touched = append(touched, name)
		touched = append(touched, s.setUses(name, f.uses)...)
	}
	s.arrivals.look()
	return touched
}

func sameProblems(a, b []*api.FileProblems) bool {
	return slices.EqualFunc(a, b, func(x, y *api.FileProblems) bool { return proto.Equal(x, y) })
}

// examine judges one model as it is edited. The saved config decides the kind of the model, because
// the engine runs that config. What it lacks is known from the check before while only the text in the editor changes.
func examine(a *language.Analysis, m *language.Model, before finding) finding {
	saved := m.Saved()
	cfg := saved.Effective()
	f := finding{kind: language.Kind(cfg), runtime: language.Runtime(cfg), backend: cfg.GetBackend(), ensemble: backends.IsEnsemble(cfg), uses: saved.Uses(), policy: cfg.GetVersionPolicy(), code: reach.Code(cfg)}
	f.problems = Examine(a, m)
	switch f.lacking = saved; {
	case unreadable(m.Scan):
	case before.lacking == saved:
		f.lacks = before.lacks
	default:
		f.lacks = lacks(m.Scan, f, a.Diagnose(saved))
	}
	return f
}

// Examine lists the problems of one model, of its folder and of its text.
func Examine(a *language.Analysis, m *language.Model) []*api.FileProblems {
	problems := troubles(m.Scan)
	if unreadable(m.Scan) {
		return problems // what cannot be read cannot be judged
	}
	list := a.Diagnose(m)
	problems = append(problems, apimessage.InPrograms(m.Scan.Name, list)...)
	path := m.ConfigPath()
	own := apimessage.Place{Model: m.Scan.Name, Path: path, File: m.Decoded().File}
	if inConfig := apimessage.Diagnostics(own, list, Places(a)); len(inConfig) > 0 {
		problems = append(problems, &api.FileProblems{Model: m.Scan.Name, Path: path, Diagnostics: inConfig})
	}
	return problems
}

// Places returns the config that a diagnostic names by its model.
func Places(a *language.Analysis) apimessage.Places {
	return func(name string) (apimessage.Place, bool) {
		m, ok := a.ModelOfFile(name)
		if !ok {
			return apimessage.Place{}, false
		}
		hasErrors := func() bool { return unreadable(m.Scan) || diag.HasErrors(a.Diagnose(m)) }
		return apimessage.Place{Model: m.Scan.Name, Path: m.ConfigFile(), File: m.Decoded().File, HasErrors: hasErrors}, true
	}
}

func uniq(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
