package check

import (
	"slices"

	"conch/configedit/text"
)

// Hint is a remark to show after a place in the text.
type Hint struct {
	Offset int
	Text   string
}

// Hints returns the effective shapes to show after the dims of a model that batches, and where a label file has another
// number of labels than the output has elements. They are in the order of the text.
func Hints(m *Model) []Hint {
	if m.Decoded == nil {
		return nil
	}
	c := newChecker(m, nil, newShared())
	hints := c.labelHints()
	if c.cfg.GetMaxBatchSize() > 0 {
		hints = c.shapeHints(hints)
	}
	slices.SortFunc(hints, func(a, b Hint) int { return a.Offset - b.Offset })
	return hints
}

func (c *checker) labelHints() (hints []Hint) {
	for i, out := range c.cfg.GetOutput() {
		if labels, classes := c.countLabels(out); labels != classes {
			hints = append(hints, Hint{Offset: c.span("output", i, "label_filename").End, Text: say("%s for %d elements", labelsOf(labels), classes)})
		}
	}
	return hints
}

func (c *checker) shapeHints(hints []Hint) []Hint {
	for _, side := range []string{"input", "output"} {
		var list []tensor
		for _, t := range tensorsOf(c.m.Decoded.Config) {
			if t.side == side {
				list = append(list, t)
			}
		}
		for i, tree := range messagesOf(c.m.Decoded.Doc.Root, side) {
			if i < len(list) {
				hints = c.hint(hints, list[i], tree)
			}
		}
	}
	return hints
}

// hint adds the hint for one tensor.
func (c *checker) hint(hints []Hint, t tensor, tree *text.Message) []Hint {
	if len(t.dims) == 0 || slices.ContainsFunc(t.dims, wrongDim) {
		return hints
	}
	for i := len(tree.Fields) - 1; i >= 0; i-- {
		if f := tree.Fields[i]; f.Name.Text == "dims" && f.Value != nil {
			return append(hints, Hint{Offset: f.Span().End, Text: "batch + dims = " + shown(effectiveShape(c.cfg, t.dims))})
		}
	}
	return hints
}

// messagesOf are the messages of a field of a message, in the order in which they were decoded.
func messagesOf(m *text.Message, name string) []*text.Message {
	var out []*text.Message
	keep := func(v text.Value) {
		if inner, ok := v.(*text.Message); ok {
			out = append(out, inner)
		}
	}
	for _, f := range m.Fields {
		if f.Name.Text != name || f.Name.Extension {
			continue
		}
		if list, ok := f.Value.(*text.List); ok {
			for _, e := range list.Elements {
				keep(e.Value)
			}
			continue
		}
		keep(f.Value)
	}
	return out
}
