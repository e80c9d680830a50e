package mend

import (
	"cmp"
	"slices"
	"strings"

	"conch/configedit/diag"
)

// Repair is a fix with the diagnostic that proposes it.
type Repair struct {
	Of  diag.Diagnostic
	Fix diag.Fix
}

// Choose returns the repairs of one file that may be made together: the safe ones, and with suggestions also those
// that a person should look at. If a diagnostic has several fixes, a person has to choose. Advice changes no file. No
// repair touches a place that another one changes, or where there is another mistake.
func Choose(list []diag.Diagnostic, suggestions bool) []Repair {
	var out []Repair
	var taken []diag.Edit
	for i, d := range list {
		if len(d.Fixes) != 1 || d.Severity.IsAdvice() {
			continue
		}
		fix := d.Fixes[0]
		if !fix.Confidence.IsSafe() && !suggestions || disturbs(fix.Edits, list, i) || meets(fix.Edits, taken) {
			continue
		}
		taken = append(taken, fix.Edits...)
		out = append(out, Repair{Of: d, Fix: fix})
	}
	return out
}

// disturbs reports whether edits touch a place that another error or warning is about.
func disturbs(edits []diag.Edit, list []diag.Diagnostic, own int) bool {
	return slices.ContainsFunc(edits, func(e diag.Edit) bool {
		for i, d := range list {
			if i != own && !d.Severity.IsAdvice() && e.File == "" && touch(e.Span, d.Span) {
				return true
			}
		}
		return false
	})
}

// meets reports whether edits touch places that others change.
func meets(edits, taken []diag.Edit) bool {
	return slices.ContainsFunc(edits, func(e diag.Edit) bool {
		return slices.ContainsFunc(taken, func(o diag.Edit) bool { return o.File == e.File && touch(e.Span, o.Span) })
	})
}

func touch(a, b diag.Span) bool { return a.Start <= b.End && b.Start <= a.End }

// Apply applies edits to one text. They do not overlap.
func Apply(src string, edits []diag.Edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b diag.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(src[at:e.Span.Start])
		out.WriteString(e.New)
		at = e.Span.End
	}
	out.WriteString(src[at:])
	return out.String()
}
