package edit

import (
	"bytes"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/text"
)

// Insert adds a field, given as text of one or more lines, at the end of a message: on a line of its own,
// indented like its neighbours, or on the same line where the message has only one.
func Insert(d *text.Document, m *text.Message, field string) diag.Edit {
	if len(m.Fields) == 0 {
		return insertFirst(d, m, field)
	}
	return InsertAfter(d, m, m.Fields[len(m.Fields)-1], field)
}

// InsertAfter adds a field after another field of the same message.
func InsertAfter(d *text.Document, m *text.Message, f *text.Field, field string) diag.Edit {
	end := f.Span().End
	if f.Separator.Present() {
		end = f.Separator.Span.End
	}
	if m.Open.Present() && line(d, m.Open.Span.Start) == line(d, f.Name.Span().Start) {
		sep := " "
		if f.Separator.Present() && d.Text(f.Separator) == "," {
			return at(end, sep+field+",")
		}
		return at(end, sep+field)
	}
	return at(lineEnd(d, end), newline(d)+indented(field, indentAt(d, f.Name.Span().Start), newline(d)))
}

func insertFirst(d *text.Document, m *text.Message, field string) diag.Edit {
	switch {
	case !m.Open.Present():
		if lead := d.File.Slice(text.Span{Start: 0, End: d.File.Len()}); lead != "" && !strings.HasSuffix(lead, "\n") {
			return at(d.File.Len(), newline(d)+field+newline(d))
		}
		return at(d.File.Len(), field+newline(d))
	case m.Close.Present() && line(d, m.Open.Span.Start) != line(d, m.Close.Span.Start):
		indent := indentAt(d, m.Open.Span.Start) + "  "
		return at(m.Open.Span.End, newline(d)+indented(field, indent, newline(d)))
	}
	if between := (text.Span{Start: m.Open.Span.End, End: m.Close.Span.Start}); strings.Contains(field, "\n") && m.Close.Present() &&
		strings.TrimSpace(d.File.Slice(between)) == "" {
		indent := newline(d) + indentAt(d, m.Open.Span.Start)
		return diag.Edit{Span: between, New: indent + "  " + strings.ReplaceAll(field, "\n", indent+"  ") + indent}
	}
	return at(m.Open.Span.End, " "+field+" ")
}

// Replace writes another field in the place of one.
func Replace(d *text.Document, f *text.Field, field string) diag.Edit {
	return diag.Edit{Span: f.Span(), New: strings.ReplaceAll(field, "\n", newline(d)+indentAt(d, f.Span().Start))}
}

// Remove removes a field, with its line if nothing else is on it.
func Remove(d *text.Document, f *text.Field) diag.Edit {
	span := f.Span()
	if f.Separator.Present() {
		span = span.Join(f.Separator.Span)
	}
	src := d.File.Text()
	first, last := lineStart(d, span.Start), lineEnd(d, span.End)
	if len(bytes.TrimSpace(src[first:span.Start])) > 0 || last == span.End && last < len(src) && src[last] != '\n' && src[last] != '\r' {
		for span.Start > first && (src[span.Start-1] == ' ' || src[span.Start-1] == '\t') {
			span.Start--
		}
		return diag.Edit{Span: span}
	}
	for last < len(src) && (src[last] == '\r' || src[last] == '\n') {
		last++
		if src[last-1] == '\n' {
			break
		}
	}
	return diag.Edit{Span: diag.Span{Start: first, End: last}}
}

func at(off int, s string) diag.Edit {
	return diag.Edit{Span: diag.Span{Start: off, End: off}, New: s}
}

func line(d *text.Document, off int) int {
	n, _ := d.File.Position(off)
	return n
}

func lineStart(d *text.Document, off int) int { return d.File.LineSpan(line(d, off)).Start }

// lineEnd is the end of the line, if only blanks and a comment follow; else the offset itself.
func lineEnd(d *text.Document, off int) int {
	end := d.File.LineSpan(line(d, off)).End
	rest := strings.TrimSpace(d.File.Slice(text.Span{Start: off, End: end}))
	if rest == "" || rest[0] == '#' {
		return max(end, off)
	}
	return off
}

// indentAt is the blank space that the line of an offset begins with.
func indentAt(d *text.Document, off int) string {
	line := d.File.Slice(d.File.LineSpan(line(d, off)))
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func indented(field, indent, newline string) string {
	return indent + strings.ReplaceAll(field, "\n", newline+indent)
}

// newline is the line end that the file uses.
func newline(d *text.Document) string {
	src := d.File.Text()
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
