package text

import (
	"bytes"
	"sort"
)

// At returns what surrounds a byte offset, which is a caret between two bytes.
func (d *Document) At(off int) Context {
	off = d.File.clamp(off)
	c := Context{Messages: []*Message{d.Root}, Token: d.touched(off)}
	d.descend(&c, d.Root, off)
	if d.inComment(off) {
		c.Place, c.Field, c.Scalar, c.Token = PlaceComment, nil, nil, Token{}
	}
	return c
}

// tokenBefore is the index of the last token that begins at or before off, -1
// if there is none.
func (d *Document) tokenBefore(off int) int {
	return sort.Search(len(d.Tokens), func(i int) bool { return d.Tokens[i].Span.Start > off }) - 1
}

// touched returns the word, number or string at a caret; of two, the one after it.
func (d *Document) touched(off int) Token {
	for i := d.tokenBefore(off); i >= 0; i-- {
		t := d.Tokens[i]
		if !t.Span.Touches(off) {
			break
		}
		if t.Kind != Symbol && t.Kind != EOF {
			return t
		}
	}
	return Token{}
}

// inComment reports whether a caret is after the # of a comment, on its line.
func (d *Document) inComment(off int) bool {
	next := d.tokenBefore(off) + 1
	lead := 0
	if next > 0 {
		lead = d.Tokens[next-1].Span.End
		if d.Tokens[next-1].Kind == EOF && next > 1 {
			lead = d.Tokens[next-2].Span.End
		} else if d.Tokens[next-1].Kind == EOF {
			lead = 0
		}
	}
	if lead > off {
		return false
	}
	before := d.File.src[lead:off]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return bytes.IndexByte(before[lineStart:], '#') >= 0
}

func (d *Document) descend(c *Context, m *Message, off int) {
	i := sort.Search(len(m.Fields), func(i int) bool { return m.Fields[i].Name.Span().Start > off }) - 1
	if i < 0 {
		return
	}
	f := m.Fields[i]
	switch {
	case f.Name.Span().Touches(off):
		c.Field = f
	case f.Value == nil:
		if f.Colon.Present() && d.sameLine(f.Colon.Span.End, off) {
			c.Field, c.Place = f, PlaceValue
		}
	default:
		d.descendValue(c, f, off)
	}
}

func (d *Document) sameLine(from, to int) bool {
	return from <= to && bytes.IndexByte(d.File.src[from:to], '\n') < 0
}

func (d *Document) descendValue(c *Context, f *Field, off int) {
	if off < f.Value.Span().Start {
		if f.Colon.Present() && off >= f.Colon.Span.End {
			c.Field, c.Place = f, PlaceValue
		}
		return
	}
	switch v := f.Value.(type) {
	case *Scalar:
		if v.Span().Touches(off) {
			c.Field, c.Place, c.Scalar = f, PlaceValue, v
		}
	case *Message:
		d.enter(c, f, v, off)
	case *List:
		d.descendList(c, f, v, off)
	}
}

// enter enters a message, if the caret is between its braces.
func (d *Document) enter(c *Context, f *Field, m *Message, off int) bool {
	if !d.inBrackets(m.Open, m.Close, m.reach, off) {
		return false
	}
	c.Fields = append(c.Fields, f)
	c.Messages = append(c.Messages, m)
	c.Field, c.Place, c.Scalar = nil, PlaceName, nil
	d.descend(c, m, off)
	return true
}

// inBrackets reports whether a caret is inside; what was never closed is taken to
// go on to the next thing, or to the very end of the file.
func (d *Document) inBrackets(first, last Token, reach, off int) bool {
	if off < first.Span.End {
		return false
	}
	if last.Present() {
		return off <= last.Span.Start
	}
	return off < reach || reach == d.File.Len()
}

func (d *Document) descendList(c *Context, f *Field, l *List, off int) {
	if !d.inBrackets(l.Open, l.Close, l.reach, off) {
		return
	}
	c.Field, c.Place = f, PlaceValue
	for _, e := range l.Elements {
		if e.Value == nil || off < e.Value.Span().Start {
			continue
		}
		switch v := e.Value.(type) {
		case *Scalar:
			if v.Span().Touches(off) {
				c.Scalar = v
			}
		case *Message:
			if d.enter(c, f, v, off) {
				return
			}
		}
	}
}
