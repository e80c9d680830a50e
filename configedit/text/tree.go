package text

// Document is a whole file as a tree. Root has neither braces nor a name.
type Document struct {
	File *File
	Root *Message
	// Tokens are all tokens of the file in order; the last is EOF.
	Tokens []Token
	// foreign are the comments of other languages, by the index of the token
	// behind them.
	foreign map[int]Span
	// strict is the file as Triton reads it, where Tokens are read with a quote
	// that is missing; nil where there is no difference.
	strict *Document
	// spoken are the tokenizer's sentences that a diagnostic of ours stands for.
	spoken []Spoken
}

// Spoken is a sentence of the C++ tokenizer that has no diagnostic of its own.
type Spoken struct {
	// Of is where the diagnostic begins that stands for it, and At what the
	// tokenizer minds.
	Of, At   int
	Sentence string
}

// Strict is the document with the tokens that Triton reads; it has no tree.
func (d *Document) Strict() *Document {
	if d.strict != nil {
		return d.strict
	}
	return d
}

// Spoken returns the sentences for which a diagnostic stands that begins at an
// offset.
func (d *Document) Spoken(start int) []Spoken {
	var out []Spoken
	for _, s := range d.spoken {
		if s.Of == start {
			out = append(out, s)
		}
	}
	return out
}

// Value is what a field or a list element holds: *Scalar, *Message or *List.
type Value interface {
	// Span covers the value from its first to its last byte.
	Span() Span
}

// Field is one "name: value" with what surrounds it.
//
//	Field = Name [":"] Value [","|";"]
type Field struct {
	Name Name
	// Colon is absent where the file has none.
	Colon Token
	// Value is nil where it is missing.
	Value Value
	// Separator is the comma or semicolon after the field, mostly absent.
	Separator Token
	// Junk follows the field and fits nowhere.
	Junk []Token
}

// Name is a field's name, or an extension's in brackets.
type Name struct {
	// Text is the name without brackets and blanks.
	Text string
	// Extension means that it is in brackets: [a.b].
	Extension bool
	// Tokens are one identifier, or the whole bracket.
	Tokens []Token
	// Index is that of the first of them in Document.Tokens.
	Index int
}

// Scalar is a number, a word, or one or more adjacent strings.
type Scalar struct {
	// Minus is the sign, mostly absent.
	Minus Token
	// Parts is one identifier or number, or all adjacent string literals.
	Parts []Token
	// Index is that of the first token, sign included, in Document.Tokens.
	Index int
}

// Message is a list of fields in braces, or in angle brackets.
//
//	Message = "{" {Field} "}" | "<" {Field} ">"
type Message struct {
	// Open is absent for the root of a document.
	Open Token
	// Junk follows the opening brace and fits nowhere.
	Junk   []Token
	Fields []*Field
	// Close is absent for the root, and where the brace was never closed.
	Close Token
	// end is where an unclosed message ends; reach is where the next thing that
	// is not in the message begins, closed or not.
	end, reach int
}

// List is a bracketed list of values.
//
//	List = "[" [Value {"," Value}] "]"
type List struct {
	Open Token
	// Junk follows the opening bracket and fits nowhere.
	Junk     []Token
	Elements []*Element
	// Close is absent where the bracket was never closed.
	Close Token
	// end and reach are those of a message.
	end, reach int
}

// Element is one value of a list with the comma after it.
type Element struct {
	// Value is nil where a comma has nothing before it.
	Value Value
	// Junk follows the value, or is in its place, and fits nowhere.
	Junk  []Token
	Comma Token
}

// EOF is the last token; the comments at the end of the file lead it.
func (d *Document) EOF() Token { return d.Tokens[len(d.Tokens)-1] }

// TokenAt is the index of the first token that begins at or after an offset.
func (d *Document) TokenAt(off int) int {
	return min(d.tokenBefore(off-1)+1, len(d.Tokens)-1)
}

// Foreign is the comment of another language before a token, such as // and
// what follows it. The grammar has no such thing and stops there.
func (d *Document) Foreign(index int) (Span, bool) {
	span, ok := d.foreign[index]
	return span, ok
}

// Text returns a token's bytes as they are in the file.
func (d *Document) Text(t Token) string { return d.File.Slice(t.Span) }

// Span covers the name, brackets included.
func (n Name) Span() Span {
	return n.Tokens[0].Span.Join(n.Tokens[len(n.Tokens)-1].Span)
}

// Span covers the field from its name to its value, or its colon where the
// value is missing. The separator is not part of it.
func (f *Field) Span() Span {
	span := f.Name.Span()
	if f.Value != nil {
		return span.Join(f.Value.Span())
	}
	if f.Colon.Present() {
		return span.Join(f.Colon.Span)
	}
	return span
}

// Span covers the sign and all parts.
func (s *Scalar) Span() Span {
	span := s.Parts[0].Span
	if s.Minus.Present() {
		span = s.Minus.Span
	}
	return span.Join(s.Parts[len(s.Parts)-1].Span)
}

// Kind is the kind of the scalar's parts.
func (s *Scalar) Kind() Kind { return s.Parts[0].Kind }

// Span covers the message with its braces; for the root, the whole file.
func (m *Message) Span() Span {
	return bracketSpan(m.Open, m.Close, m.end)
}

// Span covers the list with its brackets.
func (l *List) Span() Span {
	return bracketSpan(l.Open, l.Close, l.end)
}

func bracketSpan(first, last Token, end int) Span {
	span := Span{Start: first.Span.Start, End: end}
	if last.Present() {
		span.End = last.Span.End
	}
	return span
}
