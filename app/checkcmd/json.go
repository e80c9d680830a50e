package checkcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"conch/app/visible"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// answer is the one object that JSON writes. Lines and columns are 1-based; columns count characters.
type answer struct {
	Diagnostics []entry `json:"diagnostics"`
	Summary     summary `json:"summary"`
}

type summary struct {
	Models   int `json:"models"`
	Refused  int `json:"refused"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Advice   int `json:"advice"`
}

// area is a part of a file.
type area struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

type entry struct {
	area
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Triton   string `json:"triton,omitempty"`
	First    bool   `json:"first,omitempty"`
	// Follows means that the finding is the consequence of an error in another file. The summary
	// counts only that error.
	Follows bool `json:"follows,omitempty"`
	// Unlisted is how many more findings of this code the file has; they are not listed. The summary counts them.
	Unlisted int       `json:"unlisted,omitempty"`
	Related  []related `json:"related"`
	Fixes    []fix     `json:"fixes"`
}

type related struct {
	area
	Message string `json:"message"`
}

type fix struct {
	Title string `json:"title"`
	// Confidence is "safe", which --fix applies, or "suggestion".
	Confidence diag.Confidence `json:"confidence"`
	Edits      []edit          `json:"edits"`
}

type edit struct {
	area
	New string `json:"new"`
}

// JSON writes a result as one object.
func JSON(w io.Writer, r *Result) error {
	a := answer{
		Diagnostics: []entry{},
		Summary: summary{
			Models: r.Models, Refused: r.Refused(), Errors: r.Count(diag.Error), Warnings: r.Count(diag.Warning), Advice: r.Count(diag.Advice),
		},
	}
	for _, report := range r.Reports {
		for _, d := range report.List {
			a.Diagnostics = append(a.Diagnostics, entryOf(report, d))
		}
	}
	return encode(w, a)
}

// encode writes a value as JSON that is safe in a terminal.
func encode(w io.Writer, value any) error {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	if err == nil {
		_, err = w.Write(visible.JSON(out.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

func entryOf(r Report, d diag.Diagnostic) entry {
	e := entry{
		area: areaOf(r.Path, r.File, d.Span), Severity: d.Severity.String(), Code: d.Code, Message: d.Message,
		Triton: d.Triton, First: d.First, Follows: d.Follows, Unlisted: d.Unlisted, Related: []related{}, Fixes: []fix{},
	}
	for _, rel := range d.Related {
		if path, file, ok := r.find(rel.File); ok {
			e.Related = append(e.Related, related{areaOf(path, file, rel.Span), rel.Message})
		}
	}
	for _, f := range d.Fixes {
		out := fix{Title: f.Title, Confidence: f.Confidence, Edits: []edit{}}
		for _, one := range f.Edits {
			if path, file, ok := r.find(one.File); ok {
				out.Edits = append(out.Edits, edit{areaOf(path, file, one.Span), one.New})
			}
		}
		e.Fixes = append(e.Fixes, out)
	}
	return e
}

// areaOf returns a span in lines and columns. What concerns a folder as a whole is on the first line.
func areaOf(path string, f *text.File, s diag.Span) area {
	a := area{File: path, Line: 1, Column: 1, EndLine: 1, EndColumn: 1}
	if f != nil {
		a.Line, a.Column = f.Position(s.Start)
		a.EndLine, a.EndColumn = f.Position(max(s.Start, s.End))
	}
	return a
}
