package edit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/text"
)

// Format lays out a config: two blanks a level, one field a line, at most one blank line in a row. Comments,
// the order of everything, and what is written on a single line stay so. A text that Triton cannot read is
// refused, since its parts are guesses; so is a template.
func Format(src []byte) ([]byte, error) {
	d, list := modelconfig.Parse(folder.ConfigName, src)
	if d.Template != nil {
		return nil, errors.New("format: this is a template; fill it in first")
	}
	for _, problem := range list {
		if problem.Severity.IsError() {
			line, col := d.File.Position(problem.Span.Start)
			return nil, fmt.Errorf("format: line %d, column %d: %s; repair it first", line, col, problem.Message)
		}
	}
	f := &formatter{doc: d.Doc, src: src, newline: newline(d.Doc), fresh: true}
	f.message(d.Doc.Root, 0)
	f.put(d.Doc.EOF(), spot{gap: lineGap, last: true})
	return f.out.Bytes(), nil
}

// gap is the text before a token.
type gap uint8

const (
	noGap gap = iota
	blankGap
	lineGap
)

// spot is where a token goes.
type spot struct {
	gap   gap
	depth int
	// closes means that the token ends a block that began one level up; last means the end of the file.
	closes, last bool
}

// formatter writes the tokens of a document with new space between them.
type formatter struct {
	doc     *text.Document
	src     []byte
	newline string
	out     bytes.Buffer
	// fresh means that a level is still empty, so no blank line belongs there.
	fresh bool
}

func (f *formatter) message(m *text.Message, depth int) {
	inline := m.Open.Present() && !f.broken(m.Open, m.Close)
	between := spot{gap: lineGap, depth: depth}
	if inline {
		between.gap = blankGap
	}
	for _, field := range m.Fields {
		f.field(field, between)
	}
}

// broken reports whether there is a line end between two brackets.
func (f *formatter) broken(first, last text.Token) bool {
	return bytes.IndexByte(f.src[first.Span.Start:last.Span.End], '\n') >= 0
}

func (f *formatter) field(field *text.Field, at spot) {
	for i, t := range field.Name.Tokens {
		if i == 0 {
			f.put(t, at)
			continue
		}
		f.put(t, spot{depth: at.depth})
	}
	f.put(field.Colon, spot{depth: at.depth})
	f.value(field.Value, spot{gap: blankGap, depth: at.depth})
	f.put(field.Separator, spot{depth: at.depth})
}

func (f *formatter) value(v text.Value, at spot) {
	switch v := v.(type) {
	case *text.Scalar:
		f.scalar(v, at)
	case *text.Message:
		f.put(v.Open, at)
		f.fresh = true
		f.message(v, at.depth+1)
		f.closing(v.Open, v.Close, at.depth)
	case *text.List:
		f.list(v, at)
	}
}

func (f *formatter) closing(first, last text.Token, depth int) {
	end := spot{gap: blankGap, depth: depth, closes: true}
	if f.broken(first, last) {
		end.gap = lineGap
	}
	f.put(last, end)
}

func (f *formatter) scalar(s *text.Scalar, at spot) {
	if s.Minus.Present() {
		f.put(s.Minus, at)
		at.gap = noGap
	}
	for i, part := range s.Parts {
		if i > 0 {
			at.gap = blankGap
			if bytes.IndexByte(f.src[part.Lead:part.Span.Start], '\n') >= 0 {
				at = spot{gap: lineGap, depth: at.depth + min(i, 1)}
				if i > 1 {
					at.depth--
				}
			}
		}
		f.put(part, at)
	}
}

func (f *formatter) list(l *text.List, at spot) {
	f.put(l.Open, at)
	f.fresh = true
	inside := spot{gap: blankGap, depth: at.depth + 1}
	if f.broken(l.Open, l.Close) {
		inside.gap = lineGap
	}
	if len(l.Elements) == 0 && inside.gap == blankGap {
		f.put(l.Close, spot{depth: at.depth})
		return
	}
	for _, e := range l.Elements {
		f.value(e.Value, inside)
		f.put(e.Comma, spot{depth: inside.depth})
	}
	f.closing(l.Open, l.Close, at.depth)
}

// put writes a token with the comments before it.
func (f *formatter) put(t text.Token, at spot) {
	if !t.Present() {
		return
	}
	depth := at.depth
	if at.closes {
		depth++
	}
	rest, commented := string(f.src[t.Lead:t.Span.Start]), false
	for {
		before, after, found := strings.Cut(rest, "#")
		if !found {
			break
		}
		comment, tail, _ := strings.Cut(after, "\n")
		f.comment("#"+strings.TrimRight(comment, " \t\r"), before, depth, commented)
		rest, commented = "\n"+tail, true
	}
	if at.last {
		f.end()
		return
	}
	switch {
	case at.gap == lineGap || commented:
		f.line(strings.Count(rest, "\n") > 1 && !at.closes, at.depth)
	case at.gap == blankGap:
		f.out.WriteByte(' ')
	}
	f.out.WriteString(f.doc.Text(t))
	f.fresh = false
}

// comment writes a comment: after the token of its line, or on a line of its own.
func (f *formatter) comment(comment, before string, depth int, after bool) {
	if f.out.Len() > 0 && !after && !strings.Contains(before, "\n") {
		f.out.WriteString("  " + comment)
		return
	}
	f.line(strings.Count(before, "\n") > 1, depth)
	f.out.WriteString(comment)
	f.fresh = false
}

// line begins a line, with an empty one before it if wanted and allowed there.
func (f *formatter) line(apart bool, depth int) {
	if f.out.Len() > 0 {
		f.out.WriteString(f.newline)
		if apart && !f.fresh {
			f.out.WriteString(f.newline)
		}
	}
	f.out.WriteString(strings.Repeat("  ", depth))
}

// end ends the last line.
func (f *formatter) end() {
	if f.out.Len() > 0 {
		f.out.WriteString(f.newline)
	}
}
