package text

import (
	"fmt"
	"strings"
)

// str reads a string literal as Tokenizer::ConsumeString does.
func (l *lexer) str(quote byte) {
	start, flawed := l.pos, false
	l.pos++
	for {
		b := l.at(0)
		switch {
		case b == 0 && l.pos < len(l.src):
			flawed = true
			l.nul()
		case b == 0 || b == '\n':
			l.unended++
			l.noClosingQuote(start, b)
			l.emit(String, start, true)
			return
		case b == quote:
			l.pos++
			l.emit(String, start, flawed)
			return
		case b == '\\':
			flawed = !l.escape() || flawed
		default:
			l.pos++
		}
	}
}

// nul reports a zero byte. C++ takes it for the end of the file; reading on
// spares what would only follow from that.
func (l *lexer) nul() {
	span := Span{Start: l.pos, End: l.pos + 1}
	l.flaw(CodeControl, span, l.pos, "Unexpected end of string.",
		"the string holds a zero byte; it is written \\000", replace("write \\000", span, `\000`))
	l.pos++
}

func (l *lexer) noClosingQuote(start int, stop byte) {
	triton := "Unexpected end of string."
	if stop == '\n' {
		triton = "String literals cannot cross line boundaries."
	}
	literal := strings.TrimRight(string(l.src[start:l.pos]), " \t\r")
	quote := literal[:1]
	span := Span{Start: start, End: start + len(literal)}
	l.flaw(CodeUnended, span, l.pos, triton,
		fmt.Sprintf("the string has no closing %s on its line", quote),
		insert("close the string with "+quote, span.End, quote))
}

// escape reads a backslash and what belongs to it; false if there is no such
// escape. What follows an error is read as ordinary characters.
func (l *lexer) escape() bool {
	start := l.pos
	l.pos++
	switch b := l.at(0); {
	case strings.IndexByte(`abfnrtv\?'"`, b) >= 0 && b != 0, isOctal(b):
		l.pos++
		return true
	case b == 'x':
		l.pos++
		return l.escapeDigits(start, 1, "Expected hex digits for escape sequence.")
	case b == 'u':
		l.pos++
		return l.escapeDigits(start, 4, "Expected four hex digits for \\u escape sequence.")
	case b == 'U':
		l.pos++
		return l.longEscape(start)
	}
	l.badEscape(start, "Invalid escape sequence in string literal.")
	return false
}

func (l *lexer) escapeDigits(start, count int, triton string) bool {
	for range count {
		if !isHex(l.at(0)) {
			l.badEscape(start, triton)
			return false
		}
		l.pos++
	}
	return true
}

// longEscape is \U with eight digits, up to 10ffff.
func (l *lexer) longEscape(start int) bool {
	const triton = "Expected eight hex digits up to 10ffff for \\U escape sequence"
	for i := range 3 {
		if b := l.at(0); b != '0' && (i < 2 || b != '1') {
			l.badEscape(start, triton)
			return false
		}
		l.pos++
	}
	return l.escapeDigits(start, 5, triton)
}

func (l *lexer) badEscape(start int, triton string) {
	span := Span{Start: start, End: max(l.pos, start+1)}
	if b := l.at(0); span.Len() == 1 && b > ' ' && b < 0x7f {
		span.End++
	}
	l.flaw(CodeEscape, span, l.pos, triton,
		fmt.Sprintf("a string cannot hold %s; a backslash itself is written \\\\", l.file.Slice(span)),
		insert("double the backslash", start, `\`))
}
