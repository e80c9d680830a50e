package text

import (
	"fmt"
	"strings"

	"conch/configedit/diag"
)

// maxReports bounds what is said about one file: a file with so many mistakes
// is no config, and each costs time.
const maxReports = 100

// tabWidth is how far the C++ tokenizer lets a tab reach (io/tokenizer.cc).
const tabWidth = 8

// Sentence writes a message as Triton's log does, behind the line and column
// of the C++ tokenizer, which counts in bytes with tab stops every eight. Bytes that
// are not UTF-8 are replaced, since a sentence travels as text.
func (f *File) Sentence(off int, message string) string {
	line, col := f.Told(off)
	return fmt.Sprintf("%d:%d: %s", line, col, strings.ToValidUTF8(message, "\ufffd"))
}

// Told is line and column of an offset as Triton prints them: columns count bytes, and a tab goes on to the next stop.
func (f *File) Told(off int) (line, col int) {
	line, _ = f.Position(off)
	for _, b := range f.src[f.lines[line-1]:f.clamp(off)] {
		col++
		if b == '\t' {
			col += tabWidth - 1 - (col-1)%tabWidth
		}
	}
	return line, col + 1
}

// reports gathers diagnostics up to the bound.
type reports struct {
	file *File
	list []diag.Diagnostic
}

func (r *reports) add(d diag.Diagnostic) {
	d = d.Shortened()
	d.Message = strings.ToValidUTF8(d.Message, "\ufffd")
	switch {
	case len(r.list) < maxReports:
		r.list = append(r.list, d)
	case len(r.list) == maxReports:
		r.list = append(r.list, diag.Diagnostic{
			Code: CodeTooMany, Span: d.Span,
			Message: "this file has more mistakes than are listed; it may not be a config at all",
		})
	}
}

// full reports whether the list of diagnostics is full.
func (r *reports) full() bool { return len(r.list) > maxReports }

// replace is a fix of one edit.
func replace(title string, span Span, text string) []diag.Fix {
	return []diag.Fix{{Title: title, Edits: []diag.Edit{{Span: span, New: text}}}}
}

func insert(title string, at int, text string) []diag.Fix {
	return replace(title, Span{Start: at, End: at}, text)
}
