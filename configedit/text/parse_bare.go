package text

import (
	"bytes"
	"fmt"
	"strings"

	"conch/configedit/diag"
)

// bareList reads on where several values stand without brackets, as in
// "dims: 3, 224"; the first is read.
func (p *parser) bareList(f *Field, end int) {
	first, ok := f.Value.(*Scalar)
	if !ok || !p.bareElement(p.pos, end) {
		return
	}
	second := p.tokens[p.pos+1].Span.Start
	l := p.unbracketed(first.Span().Start)
	e := p.members.new()
	e.Value = first
	l.Elements = append(l.Elements, e)
	for p.bareElement(p.pos, end) {
		e.Comma = p.take()
		e = p.members.new()
		e.Value = p.value(end)
		l.Elements = append(l.Elements, e)
	}
	p.endUnbracketed(l)
	f.Value = l
	p.add(diag.Diagnostic{
		Code: CodeBareList, Span: l.Span(), Message: p.bareMessage(f, l),
		Triton: p.file.Sentence(second, "Expected identifier, got: "+p.doc.Text(p.tokens[p.doc.TokenAt(second)])),
		Fixes: []diag.Fix{{Title: "put them in brackets", Edits: []diag.Edit{
			{Span: Span{Start: l.Span().Start, End: l.Span().Start}, New: "[ "},
			{Span: Span{Start: l.end, End: l.end}, New: " ]"},
		}}},
	})
}

// bareElement reports whether a comma and a value follow that can be no field.
func (p *parser) bareElement(i, end int) bool {
	if i+1 >= end || p.symbol(i) != ',' {
		return false
	}
	switch p.tokens[i+1].Kind {
	case Integer, Float:
		return true
	case String:
		return i+2 >= end || p.symbol(i+2) != ':'
	}
	return p.symbol(i+1) == '-' && i+2 < end && isSignable(p.tokens[i+2].Kind)
}

// unbracketed is a list without brackets that begins at an offset.
func (p *parser) unbracketed(at int) *List {
	return &List{Open: Token{Kind: Symbol, Lead: at, Span: Span{Start: at, End: at}}}
}

func (p *parser) endUnbracketed(l *List) {
	l.end, l.reach = p.tokens[p.pos-1].Span.End, p.tokens[p.pos].Span.Start
}

func (p *parser) bareMessage(f *Field, l *List) string {
	return fmt.Sprintf("several values of %s are written in brackets: %s", f.Name.Text, p.shownList(l))
}

// shownList writes the values of a list as they are meant.
func (p *parser) shownList(l *List) string {
	const most = 8
	values := make([]string, 0, most)
	for i, e := range l.Elements {
		if i == most {
			values = append(values, "…")
			break
		}
		values = append(values, p.file.Slice(e.Value.Span()))
	}
	return "[ " + strings.Join(values, ", ") + " ]"
}

// dashes counts the lines from here on that YAML takes for the values of a
// list: a dash, a blank, and one value.
func (p *parser) dashes(end int) int {
	n := 0
	for i := p.pos; i+1 < end && p.symbol(i) == '-' && p.newLine(i); n++ {
		value := p.tokens[i+1]
		if value.Kind == Symbol || value.Span.Start == p.tokens[i].Span.End {
			break
		}
		if i += 2; i < end && !p.newLine(i) {
			break
		}
	}
	return n
}

// dashed reads a list that is written as in YAML; false where there is none.
// A single number behind a dash is a negative one for Triton, which only gets a
// word.
func (p *parser) dashed(f *Field, end int) bool {
	n := p.dashes(end)
	if n == 0 || !f.Colon.Present() {
		return false
	}
	if n == 1 && isSignable(p.tokens[p.pos+1].Kind) {
		p.singleDash(f)
		return false
	}
	l := p.unbracketed(p.tokens[p.pos].Span.Start)
	for junk := &l.Junk; n > 0; n-- {
		*junk = p.tokens[p.pos : p.pos+1]
		p.pos++
		e := p.members.new()
		e.Value = p.scalar(Token{}, p.pos+1)
		l.Elements = append(l.Elements, e)
		junk = &e.Junk
	}
	p.endUnbracketed(l)
	f.Value = l
	p.add(diag.Diagnostic{
		Code: CodeBareList, Span: l.Span(),
		Message: "lists are not written with dashes, as in YAML; " + p.bareMessage(f, l),
		Fixes:   p.undash(f, l.end, p.shownList(l)),
	})
	return true
}

// singleDash warns of a number behind a dash on a line of its own.
func (p *parser) singleDash(f *Field) {
	dash, value := p.tokens[p.pos].Span, p.tokens[p.pos+1].Span
	word := p.file.Slice(value)
	p.add(diag.Diagnostic{
		Severity: diag.Warning, Code: CodeBareList, Span: dash.Join(value),
		Message: fmt.Sprintf("this is -%s; a list is written without dashes: [ %s ]", word, word),
		Fixes:   p.undash(f, value.End, "[ "+word+" ]"),
	})
}

// undash writes a list in brackets in place of lines with dashes, if there are
// no comments between them.
func (p *parser) undash(f *Field, end int, list string) []diag.Fix {
	span := Span{Start: f.Colon.Span.End, End: end}
	if strings.Contains(list, "…") || bytes.IndexByte(p.src[span.Start:span.End], '#') >= 0 {
		return nil
	}
	return replace("write "+list, span, " "+list)
}
