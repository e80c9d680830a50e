package check

import "slices"

// Hint is a remark to show behind a place in the text.
type Hint struct {
	Offset int
	Text   string
}

// Hints are the effective shapes behind the dims of a model that batches, in the order of the text.
func Hints(m *Model) []Hint {
	c := newChecker(m, nil, newShared())
	if m.Decoded == nil || c.cfg.GetMaxBatchSize() <= 0 {
		return nil
	}
	var hints []Hint
	for _, t := range tensorsOf(m.Decoded.Config) {
		if len(t.dims) > 0 && !slices.ContainsFunc(t.dims, wrongDim) {
			hints = append(hints, Hint{
				Offset: c.m.Decoded.FieldSpan(t.path("dims", len(t.dims)-1)...).End,
				Text:   "batch + dims = " + shown(effectiveShape(c.cfg, t.dims)),
			})
		}
	}
	slices.SortFunc(hints, func(a, b Hint) int { return a.Offset - b.Offset })
	return hints
}
