package text

import (
	"fmt"
	"strings"

	"conch/configedit/diag"
)

// field reads one field; the current token begins its name.
func (p *parser) field(end int) *Field {
	f := p.fields.new()
	f.Name = p.name()
	if p.pos < end && p.symbol(p.pos) == ':' {
		f.Colon = p.take()
	} else if p.pos < end && p.symbol(p.pos) == '=' {
		f.Colon = p.take()
		p.equals(f)
	}
	p.fieldValue(f, end)
	if p.pos >= end {
		return f
	}
	if t := &p.tokens[p.pos]; t.Flaw && f.Value != nil && p.isUnit() {
		f.Junk = p.tokens[p.pos : p.pos+1]
		p.pos++
	}
	if p.pos < end && p.isSeparator() && len(f.Junk) == 0 {
		f.Separator = p.take()
	}
	return f
}

// isUnit reports whether the word here belongs to the number before it, about
// which the tokenizer has spoken.
func (p *parser) isUnit() bool {
	before, t := &p.tokens[p.pos-1], &p.tokens[p.pos]
	return t.Kind == Identifier && t.Flaw && before.Flaw && before.Span.End == t.Span.Start
}

func (p *parser) isSeparator() bool {
	c := p.symbol(p.pos)
	return c == ',' || c == ';'
}

func (p *parser) name() Name {
	start := p.pos
	t := p.take()
	switch t.Kind {
	case String:
		text := strings.Trim(p.doc.Text(t), `"'`)
		p.quotedName(t, text)
		return Name{Text: text, Tokens: p.tokens[start:p.pos], Index: start}
	case Symbol:
		p.pos = p.braces.end(start) + 1
		return Name{Text: p.extensionText(start), Extension: true, Tokens: p.tokens[start:p.pos], Index: start}
	}
	return Name{Text: p.doc.Text(t), Tokens: p.tokens[start:p.pos], Index: start}
}

func (p *parser) quotedName(t Token, text string) {
	if p.full() {
		return
	}
	p.add(diag.Diagnostic{
		Code: CodeName, Span: t.Span,
		Message: "field names are written without quotes",
		Triton:  p.file.Sentence(t.Span.Start, "Expected identifier, got: "+p.doc.Text(t)),
		Fixes:   replace("remove the quotes", t.Span, text),
	})
}

// isExtension reports whether the bracket here holds a dotted name: [a.b].
func (p *parser) isExtension() bool {
	open := p.pos
	if !p.braces.real(open) {
		return false
	}
	last := p.braces.end(open)
	for i := open + 1; i < last; i++ {
		odd := (i-open)%2 == 1
		if odd != (p.tokens[i].Kind == Identifier) {
			return false
		}
		if c := p.symbol(i); !odd && c != '.' && c != '/' {
			return false
		}
	}
	return (last-open)%2 == 0
}

func (p *parser) extensionText(open int) string {
	var b strings.Builder
	for i := open + 1; i < p.braces.end(open); i++ {
		b.WriteString(p.doc.Text(p.tokens[i]))
	}
	return b.String()
}

func (p *parser) equals(f *Field) {
	p.add(diag.Diagnostic{
		Code: CodeColon, Span: f.Colon.Span,
		Message: "a colon belongs between a name and its value, not =",
		Fixes:   diag.Safely(replace("write a colon", f.Colon.Span, ":")),
	})
}

// fieldValue reads what follows the name and the colon.
func (p *parser) fieldValue(f *Field, end int) {
	if (p.braces.absent == nil || len(p.braces.absent[p.pos]) == 0) && (p.pos >= end || p.valueMissing(f, end)) {
		p.noValue(f, end)
		return
	}
	if p.symbol(p.pos) == '-' && p.dashed(f, end) {
		return
	}
	open := p.pos
	f.Value = p.value(end)
	if f.Value == nil {
		p.badValue(f, end)
		return
	}
	if _, scalar := f.Value.(*Scalar); scalar && !f.Colon.Present() {
		at := f.Name.Span().End
		p.add(diag.Diagnostic{
			Code: CodeColon, Span: Span{Start: f.Name.Span().Start, End: p.tokens[open].Span.End},
			Message: fmt.Sprintf("the colon between %s and its value is missing", f.Name.Text),
			Fixes:   diag.Safely(insert("insert the colon", at, ":")),
		})
	}
	if p.pos < end && p.symbol(p.pos) == ',' {
		p.bareList(f, end)
	}
}

// valueMissing reports whether the next token is clearly not this field's value
// but what follows it.
func (p *parser) valueMissing(f *Field, end int) bool {
	switch c := p.symbol(p.pos); {
	case isCloser(c), c == ',', c == ';':
		return true
	}
	if p.kind() != Identifier {
		return false
	}
	if f.Colon.Present() {
		return p.namesField(end) && (p.newLine(p.pos) || isFieldWord(p.doc.Text(p.tokens[p.pos])))
	}
	return p.newLine(p.pos) || p.namesField(end)
}

// isFieldWord reports whether a word looks like a field's name and not like a
// value: enumerators are written in capitals.
func isFieldWord(word string) bool {
	switch word {
	case "true", "false", "t", "f", "inf", "nan":
		return false
	}
	return word[0] >= 'a' && word[0] <= 'z' || word[0] == '_'
}

// namesField reports whether a colon or an opening brace follows the word here.
func (p *parser) namesField(end int) bool {
	if p.pos+1 >= end {
		return false
	}
	c := p.symbol(p.pos + 1)
	return c == ':' || c == '{' || c == '<' || c == '['
}

// noValue reports a field that ends before its value.
func (p *parser) noValue(f *Field, end int) {
	d := diag.Diagnostic{
		Code: CodeValue, Span: f.Span(),
		Message: fmt.Sprintf("the value of %s is missing", f.Name.Text),
	}
	if !f.Colon.Present() {
		d.Message = fmt.Sprintf("there is no colon and no value after %s", f.Name.Text)
	}
	p.add(d)
}

// badValue reports a token that cannot begin a value, and skips it.
func (p *parser) badValue(f *Field, end int) {
	t := p.tokens[p.pos]
	if !t.Flaw {
		p.add(diag.Diagnostic{
			Code: CodeValue, Span: t.Span,
			Message: fmt.Sprintf("%s cannot be the value of %s", p.doc.Text(t), f.Name.Text),
		})
	}
	start := p.pos
	p.skip(end)
	if p.pos < end && p.isSeparator() {
		p.pos++
	}
	f.Junk = p.tokens[start:p.pos]
}
