package language

import (
	"slices"

	"conch/configedit/check"
	"conch/configedit/modelconfig"
	"conch/configedit/template"
)

// Gap is a placeholder of a config that is a template, with what may be put there.
type Gap struct {
	template.Placeholder
	// Suggestions are values that fit the first place, the likeliest first.
	Suggestions []string
}

// Block tells that the placeholder stands for whole fields, or for nothing.
func (g Gap) Block() bool { return g.Where == template.InBlock }

// mostSuggested bounds what is offered for one placeholder.
const mostSuggested = 40

// Gaps lists what is to be filled in of a model's config; none for one that is no template.
func (a *Analysis) Gaps(m *Model) []Gap {
	var gaps []Gap
	t := m.Decoded().Template
	if t == nil {
		return nil
	}
	for _, p := range t.Placeholders() {
		gap := Gap{Placeholder: p}
		if !gap.Block() {
			for _, item := range a.Complete(m, p.Spans[0].Start).Items {
				if item.Kind != "field" && len(gap.Suggestions) < mostSuggested {
					gap.Suggestions = append(gap.Suggestions, item.Label)
				}
			}
		}
		gaps = append(gaps, gap)
	}
	return gaps
}

// Fill writes values in place of the placeholders of a template; those without a value stay.
func Fill(text []byte, values map[string]string) []byte {
	decoded, _ := modelconfig.Parse(ConfigName, text)
	if decoded.Template == nil {
		return text
	}
	return decoded.Template.Fill(values)
}

// settled leaves out the hints on lines with placeholders, and all where the batch is one: their shapes are not known
// yet.
func settled(m *Model, hints []check.Hint) []check.Hint {
	t := m.Decoded().Template
	if t == nil {
		return hints
	}
	gaps := map[int]bool{}
	file := m.Decoded().File
	batch, _ := file.Position(m.Decoded().FieldSpan("max_batch_size").Start)
	for _, span := range t.Spans() {
		line, _ := file.Position(span.Start)
		if gaps[line] = true; line == batch && m.Decoded().Has("max_batch_size") {
			return nil // all shapes depend on it
		}
	}
	return slices.DeleteFunc(hints, func(h check.Hint) bool {
		line, _ := file.Position(h.Offset)
		return gaps[line]
	})
}
