package language

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"conch/configedit/check"
	"conch/engine/completed"
	"conch/repo/scan"
)

// Analysis holds what can be said about all models of one scan.
type Analysis struct {
	// Index is the scan.
	Index  *scan.Index
	models map[string]*Model
	names  []string // of the models, sorted
	// unsaved are the texts that replace those on disk.
	unsaved Texts
	// answers has what Python programs answered in runs.
	answers *completed.Store

	// mu guards verdicts, each of which is made once.
	mu       sync.Mutex
	verdicts map[*Model]*verdict
	// judgements are what ensembles know about their models.
	judgements check.Judgements
}

// Texts are the texts of configs by "model/path". The path is relative to the model's folder.
type Texts map[string][]byte

// Around is what is known besides a scan.
type Around struct {
	// Away reports whether a root is away: its models are those of an earlier scan. Their folders are not read: what was known
	// of them counts. When a root is back, its folders are read again. Nil means that none is away.
	Away func(root string) bool
	// Answers has what Python programs answered in runs; nil for nothing.
	Answers *completed.Store
}

// New returns an analysis of a scan. It takes over what has not changed since prev, which may be nil.
func New(index *scan.Index, prev *Analysis, around Around) *Analysis {
	a := &Analysis{Index: index, models: make(map[string]*Model, len(index.Models)), answers: around.Answers}
	for _, m := range index.Models {
		if a.models[m.Name] != nil {
			continue // several roots have the name; the first is shown
		}
		a.models[m.Name] = a.takeOver(m, prev, around.Away != nil && around.Away(m.Root))
	}
	a.names = slices.Sorted(maps.Keys(a.models))
	return a
}

// takeOver returns the model of an earlier analysis where it has not changed, else a new one.
func (a *Analysis) takeOver(m *scan.Model, prev *Analysis, away bool) *Model {
	fresh := newModel(m, m.ConfigText, a.answers)
	if prev == nil {
		return fresh
	}
	old := prev.models[m.Name]
	same := old != nil && old.Scan.Fingerprint == m.Fingerprint && old.Scan.Dir == m.Dir
	switch {
	case same && old.isAway() == away && sameClashes(a.Index, prev.Index, m.Name):
		return old
	case !away:
		return fresh
	case same:
		return old.whileAway()
	}
	return fresh.whileAway()
}

// sameClashes reports whether a name is in the same places in both scans: a second place changes the
// verdict on the first.
func sameClashes(a, b *scan.Index, name string) bool {
	return slices.EqualFunc(a.Named(name), b.Named(name), func(x, y *scan.Model) bool { return x.Dir == y.Dir })
}

// Model returns the model of a name.
func (a *Analysis) Model(name string) (*Model, bool) {
	m, ok := a.models[name]
	return m, ok
}

// Names lists all models, sorted. Callers must not change the list.
func (a *Analysis) Names() []string { return a.names }

// Len returns the number of models.
func (a *Analysis) Len() int { return len(a.models) }

// Changed compares a with prev. It lists the models that are new or different, and those that were
// removed.
func (a *Analysis) Changed(prev *Analysis) (changed, removed []string) {
	for name, m := range a.models {
		if prev == nil || prev.models[name] != m {
			changed = append(changed, name)
		}
	}
	if prev == nil {
		return changed, nil
	}
	for name := range prev.models {
		if a.models[name] == nil {
			removed = append(removed, name)
		}
	}
	return changed, removed
}

// Over returns the analysis with unsaved texts in place of those on disk, for main configs and
// variants. Texts of other files are ignored. It takes over what has not changed since prev, which may
// be nil.
func (a *Analysis) Over(texts Texts, prev *Analysis) *Analysis {
	if len(texts) == 0 {
		return a
	}
	over := &Analysis{Index: a.Index, models: maps.Clone(a.models), names: a.names, answers: a.answers, unsaved: texts}
	for file, text := range texts {
		name, path, _ := strings.Cut(file, "/")
		saved, known := a.models[name]
		if !known || path != saved.ConfigPath() {
			continue
		}
		if prev != nil {
			if old := prev.models[name]; old != nil && old.saved == saved && bytes.Equal(old.text, text) {
				over.models[name] = old
				continue
			}
		}
		over.models[name] = saved.typed(text)
	}
	return over
}

// WithVariant returns the analysis with another text for a file that is not a main config.
func (a *Analysis) WithVariant(file string, text []byte) *Analysis {
	texts := maps.Clone(a.unsaved)
	if texts == nil {
		texts = Texts{}
	}
	texts[file] = text
	return &Analysis{Index: a.Index, models: a.models, names: a.names, answers: a.answers, unsaved: texts}
}

// With returns the analysis with another config text for one model, and that model. If there is no
// such model, it makes one up.
func (a *Analysis) With(name string, text []byte) (*Analysis, *Model) {
	m := newModel(&scan.Model{Name: name}, text, a.answers)
	if old := a.models[name]; old != nil {
		m = old.typed(text)
	}
	with := &Analysis{Index: a.Index, models: maps.Clone(a.models), names: a.names, answers: a.answers, unsaved: a.unsaved}
	with.models[name] = m
	if a.models[name] == nil {
		with.names = slices.Sorted(maps.Keys(with.models))
	}
	return with, m
}

// Typed is like With. If the text is the known one, it reuses the known verdict.
func (a *Analysis) Typed(name string, text []byte) (*Analysis, *Model) {
	if m, known := a.models[name]; known && bytes.Equal(m.Text(), text) {
		return a, m
	}
	return a.With(name, text)
}

// ModelOfFile returns the model whose config a diagnostic names as another file: "model/config.pbtxt"
// or "model".
func (a *Analysis) ModelOfFile(name string) (*Model, bool) {
	folder, _, _ := strings.Cut(name, "/")
	return a.Model(folder)
}
