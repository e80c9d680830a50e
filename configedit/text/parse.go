package text

import (
	"bytes"
	"fmt"

	"conch/configedit/diag"
)

// MaxDepth is how deep messages and lists may nest. Triton's schema ends at
// twelve; the rest is room for mistakes.
const MaxDepth = 100

// Parse reads a file into a tree, whatever it holds, and says what is wrong
// with it as far as that can be told without a schema. The diagnostics are in
// file order.
func Parse(f *File) (*Document, []diag.Diagnostic) { return ParseWith(f, nil) }

// ParseWith is Parse for a file of which a schema is known. The schema tells
// only where a bracket or quote is missing; nothing is compared with it.
func ParseWith(f *File, schema Schema) (*Document, []diag.Diagnostic) {
	l := lex(f)
	doc := &Document{File: f, Tokens: l.tokens, foreign: l.foreign}
	p := &parser{doc: doc, src: f.src}
	p.reports = reports{file: f, list: l.list}
	braces, missing := pairBraces(doc, schema, l.unended > 0)
	p.braces, p.tokens = braces, doc.Tokens
	p.unquoted(doc, missing)
	doc.Root = &Message{end: f.Len()}
	if !p.isJSON() {
		p.body(doc.Root, len(p.tokens)-1)
	} else {
		doc.Root.Junk = p.tokens[:len(p.tokens)-1]
	}
	diag.Sort(p.list)
	return doc, p.list
}

// parser turns tokens into a tree. Every method that reads a part of it stops
// at the token index end, where the enclosing bracket ends.
type parser struct {
	reports
	doc    *Document
	src    []byte
	tokens []Token
	braces *braces
	pos    int
	depth  int

	fields   slab[Field]
	scalars  slab[Scalar]
	messages slab[Message]
	members  slab[Element]
}

// symbol is the byte of the symbol at an index, 0 for any other token.
func (p *parser) symbol(i int) byte {
	t := p.tokens[i]
	if t.Kind != Symbol {
		return 0
	}
	return p.src[t.Span.Start]
}

func (p *parser) kind() Kind { return p.tokens[p.pos].Kind }

// take is the current token; the next one becomes current.
func (p *parser) take() Token {
	t := p.tokens[p.pos]
	p.pos++
	return t
}

// newLine reports whether a token is the first of its line.
func (p *parser) newLine(i int) bool {
	t := p.tokens[i]
	return i == 0 || bytes.IndexByte(p.src[t.Lead:t.Span.Start], '\n') >= 0
}

// isJSON reports a file that is one JSON object; C++ stops at its first brace.
func (p *parser) isJSON() bool {
	if len(p.tokens) < 2 || p.symbol(0) != '{' {
		return false
	}
	if k := p.tokens[1].Kind; k != String && p.symbol(1) != '}' {
		return false
	}
	p.list = nil // what the tokenizer minds in JSON only follows from this
	span := p.tokens[0].Span
	p.add(diag.Diagnostic{
		Code: CodeJSON, Span: span,
		Message: "this file is JSON; a config is written as name: value, without outer braces",
		Triton:  p.file.Sentence(span.Start, "Expected identifier, got: {"),
	})
	return true
}

// usualFields is how many fields most messages have.
const usualFields = 4

// body reads fields up to end.
func (p *parser) body(m *Message, end int) {
	junk := &m.Junk
	for p.pos < end {
		if p.beginsField(end) {
			f := p.field(end)
			if m.Fields == nil {
				m.Fields = make([]*Field, 0, usualFields)
			}
			m.Fields = append(m.Fields, f)
			junk = &f.Junk
			continue
		}
		start := p.pos
		p.noField(end)
		*junk = p.tokens[p.pos-len(*junk)-(p.pos-start) : p.pos]
	}
}

// beginsField reports whether a field can be read here, if with a remark.
func (p *parser) beginsField(end int) bool {
	switch p.kind() {
	case Identifier:
		return true
	case String: // "name": …, as in JSON
		return p.pos+1 < end && p.symbol(p.pos+1) == ':'
	}
	return p.symbol(p.pos) == '[' && p.isExtension()
}

// noField reports a token in the place of a field name, and skips to the next
// place where a field may begin.
func (p *parser) noField(end int) {
	c := p.symbol(p.pos)
	if !p.tokens[p.pos].Flaw && !p.full() {
		p.reportNoField(p.tokens[p.pos], c)
	}
	if isCloser(c) || c == ',' || c == ';' {
		p.pos++
	} else {
		p.skip(end)
	}
}

func (p *parser) reportNoField(t Token, c byte) {
	got := p.doc.Text(t)
	report := diag.Diagnostic{
		Code: CodeName, Span: t.Span,
		Message: fmt.Sprintf("a field name belongs here, not %s", got),
		Triton:  p.file.Sentence(t.Span.Start, "Expected identifier, got: "+got),
	}
	switch {
	case isCloser(c):
		report.Code = CodeUnopened
		report.Message = fmt.Sprintf("this %s closes nothing", got)
		report.Fixes = replace("remove it", t.Span, "")
	case c == ',' || c == ';':
		report.Code = CodeSeparator
		report.Message = fmt.Sprintf("one %s too many", separatorName(c))
		report.Fixes = replace("remove it", t.Span, "")
	}
	p.add(report)
}

func separatorName(c byte) string {
	if c == ';' {
		return "semicolon"
	}
	return "comma"
}

// skip skips at least one token, and on to the next that may begin a field: a
// word at the start of a line or before a colon or brace. It skips a bracket
// with its content.
func (p *parser) skip(end int) {
	first := true
	for p.pos < end {
		if !first && (p.fieldLike(end) || isCloser(p.symbol(p.pos))) {
			return
		}
		first = false
		p.skipOne(end)
	}
}

func (p *parser) skipOne(end int) {
	if p.braces.end(p.pos) > p.pos {
		p.pos = min(p.braces.after(p.pos), end)
		return
	}
	p.pos++
}

func (p *parser) fieldLike(end int) bool {
	if p.kind() != Identifier {
		return false
	}
	if p.newLine(p.pos) {
		return true
	}
	next := byte(0)
	if p.pos+1 < end {
		next = p.symbol(p.pos + 1)
	}
	return next == ':' || next == '{' || next == '<'
}
