package complete

import (
	"conch/configedit/check"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// Hints are the types and effective shapes of the tensors that the steps of an ensemble hand on, behind the places
// that name them, in the order of the text. (Those behind dims are check.Hints.)
func Hints(m *check.Model, env check.Env) []check.Hint {
	if m.Decoded == nil || env == nil || m.Effective.GetEnsembleScheduling() == nil {
		return nil
	}
	var hints []check.Hint
	w := newWires(newPlace(m, env, 0))
	for _, scheduling := range m.Decoded.Doc.Root.Fields {
		if scheduling.Name.Text != "ensemble_scheduling" {
			continue
		}
		for _, body := range messagesIn(scheduling.Value) {
			hints = w.stepHints(hints, body)
		}
	}
	return hints
}

func (p wires) stepHints(hints []check.Hint, scheduling *text.Message) []check.Hint {
	for _, f := range scheduling.Fields {
		if f.Name.Text != "step" {
			continue
		}
		for _, step := range messagesIn(f.Value) {
			inner, ok := p.env.Model(p.valueOf(step, "model_name"))
			if !ok {
				continue
			}
			hints = p.mapHints(hints, step, inner)
		}
	}
	return hints
}

// mapHints are the types and shapes that a step's model gives to the tensors in its maps.
func (p wires) mapHints(hints []check.Hint, step *text.Message, inner *check.Model) []check.Hint {
	sides := map[string]string{"input_map": "input", "output_map": "output"}
	for _, f := range step.Fields {
		side := sides[f.Name.Text]
		for _, entry := range messagesIn(f.Value) {
			key := p.valueOf(entry, "key")
			for _, t := range tensors(inner.Effective, side) {
				if t.name == key && key != "" && t.typ != modelconfig.DataType_TYPE_INVALID {
					hints = append(hints, check.Hint{Offset: named(entry), Text: typeAndShape(inner.Effective, t)})
				}
			}
		}
	}
	return hints
}

// named returns the end of the tensor's name in an entry, or the end of the entry if it has no name.
func named(entry *text.Message) int {
	for _, f := range entry.Fields {
		if f.Name.Text == "value" {
			return f.Span().End
		}
	}
	return entry.Span().End
}
