package text

import (
	"fmt"
	"unicode/utf8"

	"conch/configedit/diag"
)

// lexer splits a file into the tokens of the C++ tokenizer as TextFormat sets
// it up (io/tokenizer.cc): comments begin with #, a float may end in f, strings
// stay on one line. Comments of other languages are reported and skipped.
type lexer struct {
	reports
	src     []byte
	pos     int
	lead    int
	tokens  []Token
	foreign map[int]Span
	// unended is how many strings have no closing quote.
	unended int
	// unit means that the next word is a unit, or what else is no part of the
	// number before it.
	unit bool
	// spoilt means that the next token is only the consequence of a mistake.
	spoilt bool
}

// bytesPerToken is a little less than configs have, to allocate once.
const bytesPerToken = 3

// MaxTokens is how many words and symbols of a file are read. The largest configs have some tens of thousands; the memory that a
// tree takes grows with their number, not with the size of the file.
const MaxTokens = 500_000

func lex(f *File) *lexer {
	l := &lexer{src: f.src, tokens: make([]Token, 0, min(len(f.src)/bytesPerToken, MaxTokens)+1)}
	l.file = f
	for l.blanks(); l.pos < len(l.src); l.blanks() {
		if len(l.tokens) == MaxTokens {
			l.tooMany()
			break
		}
		l.next()
	}
	l.emit(EOF, l.pos, false)
	return l
}

// tooMany leaves the rest of the file unread.
func (l *lexer) tooMany() {
	l.add(diag.Diagnostic{
		Code: CodeDepth, Span: Span{Start: l.pos, End: min(l.pos+1, len(l.src))},
		Message: fmt.Sprintf("this file has more than %s words and symbols; no config has so many, and the rest is not read", diag.Number(MaxTokens)),
	})
	l.pos = len(l.src)
}

// emit ends a token that began at start and ends here.
func (l *lexer) emit(kind Kind, start int, flaw bool) {
	l.tokens = append(l.tokens, Token{
		Kind: kind, Flaw: flaw || l.spoilt, Lead: l.lead, Span: Span{Start: start, End: l.pos},
	})
	l.lead, l.spoilt = l.pos, false
}

func (l *lexer) at(ahead int) byte {
	if l.pos+ahead < len(l.src) {
		return l.src[l.pos+ahead]
	}
	return 0
}

// blanks skips everything between two tokens.
func (l *lexer) blanks() {
	for l.pos < len(l.src) {
		b := l.src[l.pos]
		switch {
		case isSpace(b):
			l.pos++
		case b == '#':
			l.comment()
		case b < ' ':
			l.control()
		case b == '/' && (l.at(1) == '/' || l.at(1) == '*'):
			l.foreignComment()
		default:
			return
		}
	}
}

// comment skips a comment. As in C++, a zero byte ends it too.
func (l *lexer) comment() {
	for l.pos < len(l.src) && l.src[l.pos] != '\n' && l.src[l.pos] != 0 {
		l.pos++
	}
}

func (l *lexer) toLineEnd() {
	for l.pos < len(l.src) && l.src[l.pos] != '\n' {
		l.pos++
	}
}

func (l *lexer) control() {
	start := l.pos
	for l.pos < len(l.src) && l.src[l.pos] < ' ' && !isSpace(l.src[l.pos]) {
		l.pos++
	}
	span := Span{Start: start, End: l.pos}
	l.flaw(CodeControl, span, start, "Invalid control characters encountered in text.",
		fmt.Sprintf("the file has a control character here (byte %d)", l.src[start]),
		replace("remove it", span, ""))
}

func (l *lexer) foreignComment() {
	start, mark := l.pos, l.src[l.pos:l.pos+2]
	if mark[1] == '/' {
		l.toLineEnd()
	} else {
		l.pos = blockEnd(l.src, start)
	}
	span := Span{Start: start, End: start + 2}
	if l.foreign == nil {
		l.foreign = map[int]Span{}
	}
	if _, ok := l.foreign[len(l.tokens)]; !ok {
		l.foreign[len(l.tokens)] = Span{Start: start, End: l.pos}
	}
	var fixes []diag.Fix
	if mark[1] == '/' {
		fixes = replace("write # in place of //", span, "#")
	}
	l.flaw(CodeForeign, span, start, "Expected identifier, got: /",
		fmt.Sprintf("%q does not begin a comment here; # does", mark), fixes)
}

func blockEnd(src []byte, start int) int {
	for i := start + 2; i+1 < len(src); i++ {
		if src[i] == '*' && src[i+1] == '/' {
			return i + 2
		}
	}
	return len(src)
}

// next reads one token; the current byte begins one.
func (l *lexer) next() {
	start, b := l.pos, l.src[l.pos]
	switch {
	case isLetter(b):
		for isLetter(l.at(0)) || isDigit(l.at(0)) {
			l.pos++
		}
		l.emit(Identifier, start, false)
	case isDigit(b):
		l.number()
	case b == '.' && isDigit(l.at(1)):
		l.leadingDot()
		l.number()
	case b == '"' || b == '\'':
		l.str(b)
	case b >= utf8.RuneSelf:
		l.beyondASCII()
	default:
		l.pos++
		l.emit(Symbol, start, false)
	}
}

// beyondASCII takes a run of bytes the grammar has no place for. The tokens are
// single bytes, as in C++; the word about them is one.
func (l *lexer) beyondASCII() {
	start := l.pos
	for l.pos < len(l.src) && l.src[l.pos] >= utf8.RuneSelf {
		l.pos++
		l.emit(Symbol, l.pos-1, true)
	}
	span := Span{Start: start, End: l.pos}
	triton := fmt.Sprintf("Interpreting non ascii codepoint %d.", l.src[start])
	run := string(l.src[start:l.pos])
	if start == 0 && run == "\ufeff" {
		l.flaw(CodeBOM, span, start, triton,
			"the file begins with a byte order mark, which Triton does not take",
			diag.Safely(replace("remove the byte order mark", span, "")))
		return
	}
	var fixes []diag.Fix
	if plain, ok := plainForms[run]; ok {
		fixes = replace(fmt.Sprintf("write %s", plain.name), span, plain.text)
	}
	l.flaw(CodeASCII, span, start, triton,
		fmt.Sprintf("%q is allowed only in strings and comments", run), fixes)
}

// plainForms are what word processors and web pages make of plain characters.
var plainForms = map[string]struct{ text, name string }{
	"\u201c": {`"`, "a plain quote"},
	"\u201d": {`"`, "a plain quote"},
	"\u2018": {`'`, "a plain quote"},
	"\u2019": {`'`, "a plain quote"},
	"\u00a0": {" ", "a plain blank"},
	"\u2013": {"-", "a plain minus"},
	"\u2212": {"-", "a plain minus"},
}

// also adds a second sentence of C++ about the mistake reported last.
func (l *lexer) also(at int, triton string) {
	if n := len(l.list); n > 0 && !l.full() {
		l.list[n-1].Triton += "\n" + l.file.Sentence(at, triton)
	}
}

// flaw reports something; at is where the C++ tokenizer stood when it did.
func (l *lexer) flaw(code string, span Span, at int, triton, message string, fixes []diag.Fix) {
	if l.full() {
		return
	}
	l.add(diag.Diagnostic{
		Code: code, Span: span, Message: message, Fixes: fixes,
		Triton: l.file.Sentence(at, triton),
	})
}

func isSpace(b byte) bool {
	return b == ' ' || b == '\n' || b == '\t' || b == '\r' || b == '\v' || b == '\f'
}

func isLetter(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b == '_'
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isOctal(b byte) bool { return '0' <= b && b <= '7' }

func isHex(b byte) bool {
	return isDigit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F'
}
