package language

import (
	"conch/configedit/names"
)

// NameAt finds the name of a model or tensor at a byte offset of the model's text.
func (l *Library) NameAt(m *Model, offset int) (names.Name, bool) {
	return names.At(m.subject(), offset, env{l})
}

// Places lists every place in the repository that names the same.
func (l *Library) Places(s names.Subject) []names.Place { return names.Places(s, env{l}) }

// Fixed says why a name cannot be given another; nil when it can.
func (l *Library) Fixed(s names.Subject) error { return names.Fixed(s, env{l}) }

// Rename plans to give a tensor another name wherever it is used.
func (l *Library) Rename(s names.Subject, to string) (names.Plan, error) {
	return names.Rename(s, to, env{l})
}
