package serve

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"conch/engine/kserve"
)

// modelTable returns Triton's table of the models that were loaded, or failed, at the start. Models that nobody asked for
// are not in it.
func modelTable(index []kserve.IndexEntry, withoutVersion []string) string {
	var rows [][3]string
	for _, name := range withoutVersion {
		rows = append(rows, [3]string{oneLine(name), "-", "Not loaded: No model version was found"})
	}
	for _, e := range index {
		if e.State == "" {
			continue
		}
		status := e.State
		if e.Reason != "" {
			status += ": " + e.Reason
		}
		rows = append(rows, [3]string{oneLine(e.Name), e.Version, oneLine(status)})
	}
	slices.SortStableFunc(rows, func(a, b [3]string) int { return strings.Compare(a[0], b[0]) })
	rows = slices.Insert(rows, 0, [3]string{"Model", "Version", "Status"})
	var width [3]int
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	rule := "+"
	for _, n := range width {
		rule += strings.Repeat("-", n+2) + "+"
	}
	lines := []string{"", rule}
	for i, row := range rows {
		line := "|"
		for j, cell := range row {
			line += " " + cell + strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell)) + " |"
		}
		if lines = append(lines, line); i == 0 {
			lines = append(lines, rule)
		}
	}
	return strings.Join(append(lines, rule), "\n") + "\n"
}

// oneLine replaces what would break a row, as an error of a backend may contain it.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
