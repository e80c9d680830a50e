package names

import (
	"slices"

	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// Name is a name that was found at a place.
type Name struct {
	Subject Subject
	// Span covers it with its quotes.
	Span diag.Span
	// Text is the name.
	Text string
}

// At finds the name at a byte offset of a model's text. It returns false if there is none.
func At(m *check.Model, offset int, env check.Env) (Name, bool) {
	for _, found := range mentions(m, env) {
		if !found.Span.Touches(offset) {
			continue
		}
		text := found.subject.Tensor
		if text == "" {
			text = found.subject.Model
		}
		return Name{Subject: found.subject, Span: found.Span, Text: text}, true
	}
	return Name{}, false
}

// Places lists every place in the repository that names the subject: its own model's first, then the others by
// name, each in the order of the text.
func Places(s Subject, env check.Env) []Place {
	var places []Place
	look := func(name string) {
		if m, ok := env.Model(name); ok {
			places = append(places, PlacesIn(m, s, env)...)
		}
	}
	look(s.Model)
	for _, name := range env.Names() {
		if m, ok := env.Model(name); ok && name != s.Model && runs(m, s.Model) {
			look(name)
		}
	}
	return places
}

// PlacesIn lists the places in one text that name the subject.
func PlacesIn(m *check.Model, s Subject, env check.Env) []Place {
	var places []Place
	for _, found := range mentions(m, env) {
		if found.subject == s {
			places = append(places, found.Place)
		}
	}
	return places
}

// runs reports whether a config has a step that runs another model. It reads the text, as mentions does: a name that is
// not UTF-8 is in the text, but not in the effective config.
func runs(m *check.Model, other string) bool {
	if m.Decoded == nil {
		return false
	}
	for _, scheduling := range messages(m.Decoded.Doc.Root, "ensemble_scheduling") {
		for _, step := range messages(scheduling, "step") {
			if slices.ContainsFunc(literals(step, "model_name"), func(s *text.Scalar) bool { return valueOf(m, s) == other }) {
				return true
			}
		}
	}
	return false
}

// Tensors lists the tensors that a config names as its own, each at the first place that names it: those that clients
// see, those between an ensemble's steps, and those that sequence batching adds.
func Tensors(m *check.Model, env check.Env) []Name {
	seen := map[Subject]bool{}
	var tensors []Name
	for _, found := range mentions(m, env) {
		if s := found.subject; s.Model == m.Name && s.Tensor != "" && !seen[s] {
			seen[s] = true
			tensors = append(tensors, Name{Subject: s, Span: found.Span, Text: s.Tensor})
		}
	}
	return tensors
}
