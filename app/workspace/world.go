package workspace

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
)

// world is the snapshot. Its messages are replaced, never changed, so that readers may keep them.
type world struct {
	seq        uint64
	repository *api.Repository
	engine     *api.Engine
	models     map[string]*api.ModelSummary
	problems   map[string][]*api.FileProblems
	tally      tally
	drafts     *api.Drafts
}

// emptyWorld has no models and the reason: nothing is open, or it cannot be shown.
func (w *Workspace) emptyWorld(why hindrance) world {
	return world{
		drafts:     &api.Drafts{Run: w.run},
		seq:        1, // 0 means to readers that they have no update yet
		repository: &api.Repository{Trouble: why.sentence, Suggestion: why.suggestion},
		engine:     &api.Engine{State: api.Engine_STATE_STOPPED},
		models:     map[string]*api.ModelSummary{},
		problems:   map[string][]*api.FileProblems{},
	}
}

// change is what one step changed. It is sent to every subscriber.
type change struct {
	repository, engine, drafts, problems bool
	models                               []string
	notices                              []*api.Notice
	files                                []*api.FileChange
}

func (c *change) isEmpty() bool {
	return !c.repository && !c.engine && !c.drafts && !c.problems && len(c.models)+len(c.notices)+len(c.files) == 0
}

// setRepository notes a new repository message, if it differs.
func (w *world) setRepository(r *api.Repository, c *change) {
	if !proto.Equal(w.repository, r) {
		w.repository, c.repository = r, true
	}
}

func (w *world) setEngine(e *api.Engine, c *change) {
	if !proto.Equal(w.engine, e) {
		w.engine, c.engine = e, true
	}
}

func (w *world) setDrafts(d *api.Drafts, c *change) {
	if !proto.Equal(w.drafts, d) {
		w.drafts, c.drafts = d, true
	}
}

// setModel notes a model's new summary; nil removes it.
func (w *world) setModel(name string, m *api.ModelSummary, c *change) {
	old := w.models[name]
	if m == nil {
		if old == nil {
			return
		}
		delete(w.models, name)
		delete(w.problems, name)
		w.tally.count(name, counts{})
	} else {
		if proto.Equal(old, m) {
			return
		}
		w.models[name] = m
		w.count(name)
	}
	c.models = append(c.models, name)
}

// setProblems notes the problems of a model's files.
func (w *world) setProblems(name string, list []*api.FileProblems, c *change) {
	if !sameProblems(w.problems[name], list) {
		c.problems = true // the summary only counts the problems
	}
	w.problems[name] = list
	w.count(name)
}

// ofRepository takes the place of a model's name where no model has the problem.
const ofRepository = ""

// setOwnProblems notes the problems of the repository itself.
func (w *world) setOwnProblems(list []*api.FileProblems, c *change) {
	if sameProblems(w.problems[ofRepository], list) {
		return
	}
	c.problems = true
	w.problems[ofRepository] = list
	var n counts
	n.errors, n.warnings = count(list)
	for _, f := range list {
		if hasError(f) {
			n.models++ // Triton takes it for one
		}
	}
	w.tally.count(ofRepository, n)
}

// count counts the problems of a model that is shown.
func (w *world) count(name string) {
	m := w.models[name]
	if m == nil {
		return
	}
	n := counts{errors: m.Errors, warnings: m.Warnings}
	if slices.ContainsFunc(w.problems[name], hasError) {
		n.models = 1
	}
	w.tally.count(name, n)
}

// tally adds up the problems of all models. It changes with each of them: a sum over thousands of models for each change of
// one would make the start of a large repository slow.
type tally struct {
	of  map[string]counts // without models that have none
	all counts
}

// counts are the problems of a model, or of all models.
type counts struct{ errors, warnings, models uint32 }

func (t *tally) count(name string, n counts) {
	old := t.of[name]
	t.all.errors += n.errors - old.errors
	t.all.warnings += n.warnings - old.warnings
	t.all.models += n.models - old.models
	if n == (counts{}) {
		delete(t.of, name)
		return
	}
	if t.of == nil {
		t.of = map[string]counts{}
	}
	t.of[name] = n
}

// commit numbers a change and marks it for every subscriber. It needs Workspace.mu.
func (w *Workspace) commit(c change) {
	if c.isEmpty() {
		return
	}
	w.world.seq++
	for s := range w.subs {
		s.mark(c)
	}
	if len(w.subs) == 0 {
		w.untold = append(w.untold, c.notices...)
		w.untold = w.untold[max(0, len(w.untold)-maxNotices):]
	}
}

// reset replaces everything, and makes subscribers start again.
func (w *Workspace) reset(s *openRepository, fresh world) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fresh.seq = w.world.seq + 1
	w.open, w.world = s, fresh
	for sub := range w.subs {
		sub.restart()
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
