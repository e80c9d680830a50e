package language

import (
	"fmt"
	"maps"
	"path"

	"conch/configedit/check"
	"conch/configedit/derive"
	"conch/configedit/python"
	"conch/engine/completed"
)

// recall finds what the program of a Python model answered when it was asked to complete this config. Nothing is run.
func (m *Model) recall(r *reading) {
	if m.answers == nil || r.problem != nil || !r.facts.AutoComplete {
		return
	}
	if m.before != nil && r.whole { // nothing of it has changed
		r.asked, r.answer = m.before.told.asked, m.before.told.answer
	} else {
		r.asked, r.answer = m.ask(r)
	}
	if r.answer != nil {
		r.facts.Answer = &derive.Answer{Config: r.answer.Config, Reason: fmt.Sprintf("%s of %s, last run on %s",
			python.AutoComplete, path.Base(r.effective.GetDefaultModelFilename()), r.answer.Day())}
	}
}

// ask returns the key of the answer, and the answer where it is known.
func (m *Model) ask(r *reading) (key string, answer *completed.Answer) {
	program := check.Program(&check.Model{Name: m.Scan.Name, Effective: r.effective, Facts: r.facts, Folder: m.folder(r.whole)})
	if program == nil || program.Completes() == python.No {
		return "", nil
	}
	key = completed.Key(r.effective, program)
	return key, m.answers.Find(key)
}

// Renewed returns an analysis in which these models know the newest answers of their programs. It is a itself where there are
// no new ones.
func (a *Analysis) Renewed(names []string) *Analysis {
	var next *Analysis
	for _, name := range names {
		m := a.models[name]
		if m == nil || m.isAway() {
			continue
		}
		r := m.understand()
		if r.asked == "" || r.answer.Same(m.answers.Find(r.asked)) {
			continue
		}
		if next == nil {
			next = &Analysis{Index: a.Index, models: maps.Clone(a.models), names: a.names, answers: a.answers}
		}
		next.models[name] = m.again()
	}
	if next == nil {
		return a
	}
	return next
}

// again returns the model on disk as one that has understood nothing yet. What was read of its folder is not read again.
func (m *Model) again() *Model {
	return &Model{
		Scan: m.Scan, text: m.text, around: m.around, strict: m.strict, elsewhere: m.elsewhere, release: m.release, gpus: m.gpus, answers: m.answers,
	}
}
