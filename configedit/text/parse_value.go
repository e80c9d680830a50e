package text

import (
	"bytes"
	"fmt"
	"strings"

	"conch/configedit/diag"
)

// value reads a value, or answers nil and reads nothing.
func (p *parser) value(end int) Value {
	if p.braces.absent != nil && len(p.braces.absent[p.pos]) > 0 {
		return p.unopened()
	}
	if p.pos >= end {
		return nil
	}
	switch p.kind() {
	case Identifier, Integer, Float, String:
		return p.scalar(Token{}, end)
	case Symbol:
		return p.symbolValue(end)
	}
	return nil
}

func (p *parser) symbolValue(end int) Value {
	switch p.symbol(p.pos) {
	case '{', '<':
		return p.message()
	case '[':
		return p.listValue()
	case '-':
		if p.pos+1 < end && isSignable(p.tokens[p.pos+1].Kind) {
			return p.scalar(p.take(), end)
		}
	}
	return nil
}

func isSignable(k Kind) bool { return k == Identifier || k == Integer || k == Float }

func (p *parser) scalar(minus Token, end int) *Scalar {
	start, index := p.pos, p.pos
	if minus.Present() {
		index--
	}
	first := p.take()
	if first.Kind == String {
		for p.pos < end && p.kind() == String && !p.beginsField(end) {
			p.pos++
		}
	}
	s := p.scalars.new()
	*s = Scalar{Minus: minus, Parts: p.tokens[start:p.pos], Index: index}
	return s
}

// message reads a message; the current token is its opening brace.
func (p *parser) message() Value {
	open := p.pos
	return p.messageIn(p.take(), p.bracketAt(open))
}

// listValue reads a list; the current token is its opening bracket.
func (p *parser) listValue() Value {
	open := p.pos
	return p.listIn(p.take(), p.bracketAt(open))
}

func (p *parser) messageIn(open Token, b bracket) Value {
	m := p.messages.new()
	m.Open, m.reach = open, p.tokens[b.end].Span.Start
	m.Close, m.end = p.inside(b, func(end int) { p.body(m, end) }, &m.Junk)
	return m
}

func (p *parser) listIn(open Token, b bracket) Value {
	l := &List{Open: open, reach: p.tokens[b.end].Span.Start}
	l.Close, l.end = p.inside(b, func(end int) { p.elements(l, end) }, &l.Junk)
	return l
}

// bracket is an opening bracket that was read, and where it ends.
type bracket struct {
	// open is the index of its token, or of the first behind it where it is
	// absent.
	open, end   int
	real, mixed bool
}

func (p *parser) bracketAt(open int) bracket {
	b := bracket{open: open, end: p.braces.end(open), real: p.braces.real(open)}
	b.mixed = !b.real && p.braces.mixed(open)
	return b
}

// unopened reads a message or list whose opening bracket is missing here.
func (p *parser) unopened() Value {
	a := p.braces.absent[p.pos][0]
	p.braces.absent[p.pos] = p.braces.absent[p.pos][1:]
	at := p.tokens[p.pos-1].Span.End
	open := Token{Kind: Symbol, Lead: at, Span: Span{Start: at, End: at}}
	p.openerMissing(a)
	b := bracket{open: p.pos, end: a.end, real: a.real}
	if a.symbol == '[' {
		return p.listIn(open, b)
	}
	return p.messageIn(open, b)
}

// openerMissing reports an opening bracket that is missing before the current
// token.
func (p *parser) openerMissing(a *absentOpener) {
	before := p.tokens[p.pos-1].Span
	d := diag.Diagnostic{
		Code: CodeUnopened, Span: before,
		Message: fmt.Sprintf("a %c is missing before %s", a.symbol, p.shown(p.tokens[p.pos])),
		Fixes:   insert(fmt.Sprintf("insert the missing %c", a.symbol), before.End, fmt.Sprintf(" %c", a.symbol)),
	}
	if name := p.ownerOf(p.pos); name != "" {
		d.Message = fmt.Sprintf("the %c of %s is missing", a.symbol, name)
	}
	if a.real {
		d.Related = []diag.Related{{Span: p.tokens[a.end].Span, Message: "it is closed here"}}
	}
	p.add(d)
}

// inside reads the content of a bracket and then its closing token. What lies
// too deep becomes junk.
func (p *parser) inside(b bracket, content func(end int), junk *[]Token) (Token, int) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > MaxDepth {
		*junk = p.tokens[p.pos:b.end]
		p.pos = b.end
		p.tooDeep(b.open)
	} else {
		content(b.end)
	}
	switch {
	case b.mixed:
		p.mixed(b.open)
		return p.take(), 0
	case b.real:
		return p.take(), 0
	}
	last := p.tokens[b.end-1].Span.End
	p.unclosed(b.open, b.end)
	return Token{}, last
}

func (p *parser) tooDeep(open int) {
	p.add(diag.Diagnostic{
		Code: CodeDepth, Span: p.tokens[open].Span,
		Message: fmt.Sprintf("this is nested more than %d deep, and no config is", MaxDepth),
	})
}

// unclosed blames the bracket that was never closed, and tells where its other
// half probably belongs: after the token before end.
func (p *parser) unclosed(open, end int) {
	t := p.tokens[open]
	closer := string(closerOf(p.symbol(open)))
	after := p.tokens[end-1].Span
	d := diag.Diagnostic{
		Code: CodeUnclosed, Span: t.Span,
		Message: fmt.Sprintf("this %s is never closed", p.doc.Text(t)),
		Related: []diag.Related{{
			Span:    Span{Start: after.End, End: after.End},
			Message: fmt.Sprintf("the %s probably belongs here", closer),
		}},
		Fixes: insert("insert the missing "+closer, after.End, p.closingText(open, end, closer)),
	}
	if name := p.ownerOf(open); name != "" {
		d.Message = fmt.Sprintf("the %s of %s is never closed", p.doc.Text(t), name)
	}
	p.add(d)
}

// ownerOf is the name of the field whose value the bracket begins.
func (p *parser) ownerOf(open int) string {
	i := open - 1
	if i >= 0 && p.symbol(i) == ':' {
		i--
	}
	if i >= 0 && p.tokens[i].Kind == Identifier {
		return p.doc.Text(p.tokens[i])
	}
	return ""
}

// mixed blames the closing token, which is current, for its kind.
func (p *parser) mixed(open int) {
	t := p.tokens[p.pos]
	opening := p.tokens[open]
	closer := string(closerOf(p.symbol(open)))
	p.add(diag.Diagnostic{
		Code: CodeMismatch, Span: t.Span,
		Message: fmt.Sprintf("%s is closed by %s, not %s",
			p.doc.Text(opening), closer, p.doc.Text(t)),
		Related: []diag.Related{{Span: opening.Span, Message: "opened here"}},
		Fixes:   replace("write "+closer, t.Span, closer),
	})
}

// closingText is the closer as it would be typed: on a line of its own where
// the content begins on one, indented as the line that opened it.
func (p *parser) closingText(open, end int, closer string) string {
	from, to := p.tokens[open].Span.Start, p.tokens[end-1].Span.End
	if bytes.IndexByte(p.src[from:to], '\n') < 0 || closer == "]" && !p.newLine(open+1) {
		if after := from + 1; after < len(p.src) && p.src[after] == ' ' {
			return " " + closer
		}
		return closer
	}
	line, _ := p.file.Position(from)
	start := p.file.LineSpan(line).Start
	blanks := start
	for blanks < from && isSpace(p.src[blanks]) {
		blanks++
	}
	return "\n" + string(p.src[start:blanks]) + closer
}

// elements reads the values of a list up to end.
func (p *parser) elements(l *List, end int) {
	for p.pos < end {
		e := p.members.new()
		l.Elements = append(l.Elements, e)
		start := p.pos
		e.Value = p.value(end)
		if e.Value == nil {
			p.noElement(end)
			e.Junk = p.tokens[start:p.pos]
			if p.pos < end {
				e.Comma = p.take()
			}
			continue
		}
		p.afterElement(e, end)
	}
}

// noElement reports a token that is not a value. It does not skip a comma.
func (p *parser) noElement(end int) {
	t := p.tokens[p.pos]
	d := diag.Diagnostic{Code: CodeValue, Span: t.Span}
	if p.symbol(p.pos) == ',' {
		d.Message = "there is no value before this comma"
		d.Fixes = replace("remove the comma", t.Span, "")
	} else {
		d.Message = fmt.Sprintf("%s cannot be an element of a list", p.doc.Text(t))
		for p.pos < end && p.symbol(p.pos) != ',' {
			p.skipOne(end)
		}
	}
	if !t.Flaw {
		p.add(d)
	}
}

// afterElement reads the comma, and minds its absence and its abundance.
func (p *parser) afterElement(e *Element, end int) {
	if p.pos >= end {
		return
	}
	if p.symbol(p.pos) == ',' {
		e.Comma = p.take()
		if p.pos >= end {
			p.add(diag.Diagnostic{
				Code: CodeExtraComma, Span: e.Comma.Span,
				Message: "nothing follows this comma; a list does not end in one",
				Fixes:   replace("remove the comma", e.Comma.Span, ""),
			})
		}
		return
	}
	t := p.tokens[p.pos]
	if t.Flaw {
		return
	}
	p.noComma(e, t)
	if !p.beginsValue(t) {
		start := p.pos
		for p.pos < end && p.symbol(p.pos) != ',' {
			p.skipOne(end)
		}
		e.Junk = p.tokens[start:p.pos]
		if p.pos < end {
			e.Comma = p.take()
		}
	}
}

func (p *parser) noComma(e *Element, t Token) {
	if p.full() {
		return
	}
	d := diag.Diagnostic{
		Code: CodeComma, Span: t.Span,
		Message: fmt.Sprintf("a comma is missing before %s", p.shown(t)),
		Triton:  p.file.Sentence(t.Span.Start, fmt.Sprintf("Expected \",\", found \"%s\".", p.doc.Text(t))),
	}
	if p.beginsValue(t) {
		d.Fixes = diag.Safely(insert("insert a comma", e.Value.Span().End, ","))
	}
	p.add(d)
}

func (p *parser) beginsValue(t Token) bool {
	return t.Kind != Symbol || strings.IndexByte("{<[-", p.src[t.Span.Start]) >= 0
}

// shown is a token as a message quotes it, without running on for lines.
func (p *parser) shown(t Token) string {
	const most = 40
	if text := p.doc.Text(t); len(text) <= most {
		return text
	}
	return "this"
}
