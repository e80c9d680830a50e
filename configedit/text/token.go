package text

import "conch/configedit/diag"

// Span is a half-open range of byte offsets in a File.
type Span = diag.Span

// Kind is the kind of a token. The kinds are those of the C++ tokenizer.
type Kind uint8

// The kinds of token.
const (
	// Absent is the kind of a token that is not in the file, such as the colon
	// of "input {".
	Absent Kind = iota
	// Identifier: a letter or underscore, then letters, digits, underscores.
	Identifier
	// Integer: decimal, octal (04) or hexadecimal (0x4) digits, no sign.
	Integer
	// Float: digits with a point, an exponent or a final f, no sign.
	Float
	// String: one literal with its quotes.
	String
	// Symbol: any other single byte.
	Symbol
	// EOF ends every file; its span is empty.
	EOF
)

// Token is one word of the file. Blanks and comments are not tokens: those
// before a token are between Lead and its span. Control characters and comments
// of other languages are there too; the tokenizer reports and skips them.
type Token struct {
	Kind Kind
	// Flaw means that the tokenizer found a mistake in it and reported it.
	Flaw bool
	// Lead is where the blanks and comments before the token begin.
	Lead int
	Span Span
}

// Present reports whether the token is in the file.
func (t Token) Present() bool { return t.Kind != Absent }
