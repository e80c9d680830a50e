package check

import (
	"slices"

	"conch/configedit/diag"
)

// turned returns a fix that swaps the key and the value of an entry, if the key is a tensor of the ensemble and the
// value is the right key; otherwise none.
func (m *mappings) turned(k wrongKey, field, value string) []diag.Fix {
	path := stepPath(k.step, field, k.key, "key")
	if m.graph.wires[k.key] == nil || !slices.Contains(k.free, value) || !m.has(path...) {
		return nil
	}
	key, at := m.span(path...), m.span(stepPath(k.step, field, k.key, "value")...)
	if key == at || key.IsEmpty() || at.IsEmpty() {
		return nil
	}
	file := m.m.Decoded.File
	return []diag.Fix{{Title: "swap key and value", Edits: []diag.Edit{
		{Span: key, New: file.Slice(at)}, {Span: at, New: file.Slice(key)},
	}}}
}
