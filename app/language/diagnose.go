package language

import (
	"slices"

	"conch/configedit/diag"
)

// Diagnose lists everything wrong with a model's config, sorted.
func (l *Library) Diagnose(m *Model) []diag.Diagnostic {
	list := slices.Clone(m.understand().syntax)
	diag.Sort(list)
	return list
}
