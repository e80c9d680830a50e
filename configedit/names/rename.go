package names

import (
	"errors"
	"fmt"
	"slices"
	"unicode"

	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/modelfile"
	"conch/configedit/text"
)

// Plan is the result of a renaming.
type Plan struct {
	// Edits are by model, in the order of the text. Each replaces one name and nothing else.
	Edits []ModelEdit
	// Warning says what the renaming does not reach. It is empty if it reaches everything.
	Warning string
}

// ModelEdit is an edit of a model's config.
type ModelEdit struct {
	Model string
	diag.Edit
}

// Fixed says why a name cannot be given another; nil when it can.
func Fixed(s Subject, env check.Env) error {
	if _, ok := env.Model(s.Model); !ok {
		return fmt.Errorf("there is no model %q in the repository", s.Model)
	}
	if s.Tensor == "" {
		return nil // its folder defines it
	}
	for _, p := range Places(s, env) {
		if p.Definition && p.Model == s.Model {
			return nil
		}
	}
	return fmt.Errorf("the name comes from the model file of %s; its config does not list the tensor", s.Model)
}

// Rename plans to give a model or tensor another name wherever configs use it; a model's folder is the caller's
// business. An error says why that cannot be.
func Rename(s Subject, to string, env check.Env) (Plan, error) {
	if err := Fixed(s, env); err != nil {
		return Plan{}, err
	}
	if err := usable(s, to, env); err != nil {
		return Plan{}, err
	}
	plan := Plan{Warning: unreached(s, env)}
	for _, p := range Places(s, env) {
		m, _ := env.Model(p.Model)
		plan.Edits = append(plan.Edits, edit(m, p, to))
	}
	return plan, nil
}

// RenameIn returns the edits that a renaming makes in one text, such as another config of a model.
func RenameIn(m *check.Model, s Subject, to string, env check.Env) []ModelEdit {
	var edits []ModelEdit
	for _, p := range PlacesIn(m, s, env) {
		edits = append(edits, edit(m, p, to))
	}
	return edits
}

func edit(m *check.Model, p Place, to string) ModelEdit {
	return ModelEdit{p.Model, diag.Edit{Span: p.Span, New: quoted(to, m.Decoded.File.Slice(p.Span))}}
}

// quoted writes a name in the quotes that the old one has.
func quoted(name, before string) string {
	plain := text.Quote(name)
	if before[0] == '\'' && plain == `"`+name+`"` && !slices.Contains([]rune(name), '\'') {
		return "'" + name + "'"
	}
	return plain
}

// usable reports whether a subject could bear a name.
func usable(s Subject, name string, env check.Env) error {
	old := s.Tensor
	if old == "" {
		old = s.Model
	}
	switch {
	case name == "":
		return errors.New("a name is needed")
	case name == old:
		return errors.New("it already has this name")
	case slices.ContainsFunc([]rune(name), unicode.IsControl):
		return errors.New("a name has no control characters")
	}
	if s.Tensor == "" {
		return free(name, env)
	}
	other := s
	other.Tensor = name
	m, _ := env.Model(s.Model)
	for _, found := range mentions(m, env) {
		if found.subject == other {
			line, _ := m.Decoded.File.Position(found.Span.Start)
			return fmt.Errorf("%s has a tensor of that name already, in line %d", s.Model, line)
		}
	}
	return nil
}

// free reports whether no model has a name yet.
func free(name string, env check.Env) error {
	if _, taken := env.Model(name); taken {
		return fmt.Errorf("there is a model %q already", name)
	}
	return nil
}

// unreached says what still goes by the old name after a renaming: the model's own file, or who sends requests.
func unreached(s Subject, env check.Env) string {
	if s.Tensor == "" {
		return fmt.Sprintf("Clients that send requests to %s must use the new name too.", s.Model)
	}
	m, _ := env.Model(s.Model)
	file := m.Effective.GetDefaultModelFilename()
	if s.Side == Wire {
		if outside(s, m, env) {
			return fmt.Sprintf("Clients that send requests to %s must use the new name too.", s.Model)
		}
		return ""
	}
	if m.Facts.ONNX != nil && inFile(s, m.Facts.ONNX) {
		return fmt.Sprintf("The model file of %s calls it %q too: with the new name alone, Triton would not load the model.", s.Model, s.Tensor)
	}
	if file != "" && m.Facts.ONNX == nil {
		return fmt.Sprintf("%s of %s is not changed; it has to use the new name too.", file, s.Model)
	}
	return fmt.Sprintf("Clients that send requests to %s must use the new name too.", s.Model)
}

// outside reports whether a tensor of an ensemble is one that its callers see.
func outside(s Subject, m *check.Model, env check.Env) bool {
	return slices.ContainsFunc(mentions(m, env), func(found mention) bool {
		return found.subject == s && found.Outer
	})
}

func inFile(s Subject, file *modelfile.ONNX) bool {
	list := slices.Concat(file.Inputs, file.Overridable)
	if s.Side == Output {
		list = file.Outputs
	}
	return slices.ContainsFunc(list, func(t modelfile.Tensor) bool { return t.Name == s.Tensor })
}
