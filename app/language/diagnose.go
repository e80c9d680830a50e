package language

import (
	"slices"
	"sync"
	"sync/atomic"

	"conch/configedit/check"
	"conch/configedit/complete"
	"conch/configedit/diag"
	"conch/configedit/edit"
)

// verdict is what is wrong with a model, found once.
type verdict struct {
	once sync.Once
	list []diag.Diagnostic
}

// judged counts the texts that were judged. Tests compare it with the number of edits.
var judged atomic.Uint64

// Judged returns how many texts were judged since the program began.
func Judged() uint64 { return judged.Load() }

// Diagnose lists everything wrong with a model's config, sorted. An analysis judges a text once; later
// calls return the same list.
func (a *Analysis) Diagnose(m *Model) []diag.Diagnostic {
	v := a.verdict(m)
	v.once.Do(func() {
		judged.Add(1)
		list := slices.Concat(m.understand().syntax, check.Check(m.subject(), env{a}))
		diag.Sort(list)
		v.list = fromJSON(m.text, list)
	})
	return slices.Clone(v.list)
}

func (a *Analysis) verdict(m *Model) *verdict {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.verdicts == nil {
		a.verdicts = map[*Model]*verdict{}
	}
	v := a.verdicts[m]
	if v == nil {
		v = &verdict{}
		a.verdicts[m] = v
	}
	return v
}

// Graph draws an ensemble; nil for other models.
func (a *Analysis) Graph(m *Model) *check.EnsembleGraph { return check.Graph(m.subject(), env{a}) }

// Hints lists remarks to show in the text, such as effective shapes, in the order of the text.
func (a *Analysis) Hints(m *Model) []check.Hint {
	hints := slices.Concat(check.Hints(m.subject()), complete.Hints(m.subject(), env{a}))
	slices.SortStableFunc(hints, func(x, y check.Hint) int { return x.Offset - y.Offset })
	return settled(m, hints)
}

// Outline lists the parts of a config.
func (a *Analysis) Outline(m *Model) []complete.Symbol { return complete.Outline(m.subject()) }

// Complete lists what may be written at a byte offset of the model's text.
func (a *Analysis) Complete(m *Model, offset int) complete.Answer {
	return complete.Complete(m.subject(), offset, env{a})
}

// Hover explains the text at a byte offset of the model's config.
func (a *Analysis) Hover(m *Model, offset int) (complete.Help, bool) {
	return complete.Hover(m.subject(), offset, env{a})
}

// Format formats a config text.
func Format(text []byte) ([]byte, error) { return edit.Format(text) }

// env gives the checks access to an analysis.
type env struct{ a *Analysis }

var _ check.Env = env{}

// Model implements check.Env.
func (e env) Model(name string) (*check.Model, bool) {
	m, ok := e.a.Model(name)
	if !ok {
		return nil, false
	}
	return m.subject(), true
}

// Names implements check.Env.
func (e env) Names() []string { return e.a.Names() }

var _ check.Remembers = env{}

// Judgements implements check.Remembers: an analysis never changes.
func (e env) Judgements() *check.Judgements { return &e.a.judgements }

var _ check.Clashes = env{}

// Clashes implements check.Clashes.
func (e env) Clashes(name string) []string {
	var dirs []string
	known, ok := e.a.Model(name)
	for _, m := range e.a.Index.Named(name) {
		if ok && m.Dir != known.Scan.Dir {
			dirs = append(dirs, m.Dir)
		}
	}
	return dirs
}

// subject returns the model in the form that the checks take. They do not change it.
func (m *Model) subject() *check.Model {
	m.asked.Do(func() { m.asSubject = m.newSubject() })
	return m.asSubject
}

func (m *Model) newSubject() *check.Model {
	r := m.understand()
	subject := &check.Model{
		Name:        m.Scan.Name,
		Syntax:      r.syntax,
		Effective:   r.effective,
		Problem:     r.problem,
		Facts:       r.facts,
		FileProblem: r.files.Broken,
		Folder:      m.folder(r.whole),
		Workbench:   !m.elsewhere,
		Release:     m.release,
	}
	if m.HasConfig() {
		subject.Decoded = r.decoded
	}
	return subject
}
