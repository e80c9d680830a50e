package diag

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Diagnostic is one thing to say about a file.
type Diagnostic struct {
	Severity Severity
	// Code is stable and meant for machines: "TXT-…" for the text itself, the
	// rule's own identifier ("G6", "EN3") for checks.
	Code string
	Span Span
	// Message is the sentence for people; see the package's wording rules.
	Message string
	// Triton is the sentence Triton would print for this mistake were it the
	// first it met. It is empty if Triton says nothing.
	Triton string
	// First marks the diagnostic that Triton would report: it stops at the first
	// mistake it meets, which need not be the first in the file.
	First   bool
	Related []Related
	Fixes   []Fix
	// Program is the line of a program that it is about, if it is not about the config itself.
	Program ProgramLine
	// Perhaps means that Triton refuses the model on some servers only, by what they have.
	Perhaps bool
	// Models are the names of the other models that it is about, besides those in Related.
	Models []string
	// Missing is what the model's folder lacks, relative to it, where that keeps the model from being loaded: "1/model.py",
	// or "1/" for a folder alone. It is empty for everything else that can be said.
	Missing string
	// Follows means that this is only the consequence of an error in the other file that Related names, as where an
	// ensemble uses a model that does not load. Such a mistake is counted where it was made.
	Follows bool
	// Unlisted is how many more mistakes of this rule the file has, which are not listed. The message says it too.
	Unlisted int
}

// ProgramLine is a line of a program, whose path is relative to the model's folder.
type ProgramLine struct {
	File string
	Line int
}

// FollowsFrom reports whether d is only the consequence of an error in another file, and that file has errors among
// those that are counted with d. Such a diagnostic is shown and not counted.
func (d Diagnostic) FollowsFrom(hasErrors func(file string) bool) bool {
	return d.Follows && slices.ContainsFunc(d.Related, func(r Related) bool { return hasErrors(r.File) })
}

// What is said of one mistake stays short where a file quotes megabytes in one word.
const (
	longestMessage = 2_000  // bytes
	longestTriton  = 20_000 // Triton lists all that would be right
	longestTitle   = 500
)

// Shortened is the diagnostic with sentences of bounded length.
func (d Diagnostic) Shortened() Diagnostic {
	d.Message, d.Triton = shorten(d.Message, longestMessage), shorten(d.Triton, longestTriton)
	for i, f := range d.Fixes {
		if len(f.Title) > longestTitle {
			d.Fixes = slices.Clone(d.Fixes)
			d.Fixes[i].Title = shorten(f.Title, longestTitle)
		}
	}
	return d
}

func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// Related is another place that belongs to the same mistake, such as the first
// of two fields of one name, or the other end of an ensemble's edge.
type Related struct {
	// File names another file; empty means the diagnostic's own.
	File    string
	Span    Span
	Message string
}

// Fix is one repair. Its edits are applied together.
type Fix struct {
	Title string
	Edits []Edit
	// Confidence says who may apply it. The default is a suggestion.
	Confidence Confidence
	// Unfinished is a word in the first edit that a person replaces. The fix is not whole before that.
	Unfinished string
}

// Edit replaces the bytes of Span by New. Spans are those of the text before
// any edit; the edits of one fix do not overlap.
type Edit struct {
	// File names another file; empty means the diagnostic's own. One that ends in a slash is a folder to be made.
	File string
	// Makes says that the other file does not exist yet, and New is all of it.
	Makes bool
	// From names a file that gets the path of the other file, which does not exist yet.
	From string
	Span Span
	New  string
}

// Sort orders diagnostics as a reader meets them: by place, the graver first
// where two share a place, then by code, so that equal inputs print equally.
func Sort(list []Diagnostic) {
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Span.Start, b.Span.Start),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Span.End, b.Span.End),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
}

// HasErrors reports whether any of the diagnostics means that Triton refuses.
func HasErrors(list []Diagnostic) bool {
	return slices.ContainsFunc(list, func(d Diagnostic) bool { return d.Severity.IsError() })
}
