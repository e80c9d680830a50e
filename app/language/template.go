package language

import (
	"slices"

	"conch/configedit/check"
	"conch/configedit/modelconfig"
	"conch/configedit/template"
)

// Gap is a placeholder of a template, with values that may replace it.
type Gap struct {
	template.Placeholder
	// Suggestions are values that fit the first place, the likeliest first.
	Suggestions []string
}

// Block reports whether the placeholder stands for whole fields, or for nothing.
func (g Gap) Block() bool { return g.Where == template.InBlock }

// mostSuggested limits the suggestions for one placeholder.
const mostSuggested = 40

// Gaps lists the placeholders of a model's config; none for a config that is not a template.
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

// Fill replaces the placeholders of a template with values. A placeholder without a value stays.
func Fill(text []byte, values map[string]string) []byte {
	decoded, _ := modelconfig.Parse(ConfigName, text)
	if decoded.Template == nil {
		return text
	}
	return decoded.Template.Fill(values)
}

// settled removes the hints on lines with placeholders, since their shapes are not known yet. Where
// the batch size is a placeholder, it removes all.
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
			return nil // all shapes depend on the batch size
		}
	}
	return slices.DeleteFunc(hints, func(h check.Hint) bool {
		line, _ := file.Position(h.Offset)
		return gaps[line]
	})
}
