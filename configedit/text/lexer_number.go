package text

import (
	"fmt"
	"strings"

	"conch/configedit/diag"
)

// numeral is a number being read: what was found wrong with it first.
type numeral struct {
	start   int
	isFloat bool
	flawed  bool
}

// number reads a number as Tokenizer::ConsumeNumber does, step by step, since
// which error comes first is part of what Triton prints.
func (l *lexer) number() {
	n := &numeral{start: l.pos}
	switch {
	case l.at(0) == '0' && (l.at(1) == 'x' || l.at(1) == 'X'):
		l.pos += 2
		l.digits(n, isHex, `"0x" must be followed by hex digits.`, "0x needs hexadecimal digits after it")
	case l.at(0) == '0' && isDigit(l.at(1)):
		l.octal(n)
	default:
		l.decimal(n)
	}
	l.numberEnd(n)
	kind := Integer
	if n.isFloat {
		kind = Float
	}
	l.emit(kind, n.start, n.flawed)
	l.spoilt = n.flawed && l.at(0) == '.'
}

func (l *lexer) octal(n *numeral) {
	for isOctal(l.at(0)) {
		l.pos++
	}
	if !isDigit(l.at(0)) {
		return
	}
	at := l.pos
	for isDigit(l.at(0)) {
		l.pos++
	}
	n.flawed = true
	span := Span{Start: n.start, End: l.pos}
	plain := strings.TrimLeft(l.file.Slice(span), "0")
	l.flaw(CodeNumber, span, at, "Numbers starting with leading zero must be in octal.",
		"a number that begins with 0 is octal and cannot hold 8 or 9",
		replace("write "+plain, span, plain))
}

func (l *lexer) decimal(n *numeral) {
	l.skipDigits()
	if l.at(0) == '.' {
		l.pos++
		n.isFloat = true
		l.skipDigits()
	}
	if l.at(0) == 'e' || l.at(0) == 'E' {
		l.pos++
		n.isFloat = true
		if l.at(0) == '-' || l.at(0) == '+' {
			l.pos++
		}
		l.digits(n, isDigit, `"e" must be followed by exponent.`, "the exponent has no digits")
	}
	if l.at(0) == 'f' || l.at(0) == 'F' {
		l.pos++
		n.isFloat = true
	}
}

func (l *lexer) skipDigits() {
	for isDigit(l.at(0)) {
		l.pos++
	}
}

// digits wants one digit or more.
func (l *lexer) digits(n *numeral, is func(byte) bool, triton, message string) {
	start := l.pos
	for is(l.at(0)) {
		l.pos++
	}
	if l.pos == start {
		n.flawed = true
		l.flaw(CodeNumber, Span{Start: n.start, End: l.pos}, l.pos, triton, message, nil)
	}
}

const needSpace = "Need space between number and identifier."

// numberEnd looks at what follows directly.
func (l *lexer) numberEnd(n *numeral) {
	span := Span{Start: n.start, End: l.pos}
	switch b := l.at(0); {
	case isLetter(b):
		if n.flawed {
			l.also(l.pos, needSpace)
			return
		}
		n.flawed = true
		l.flaw(CodeSpace, Span{Start: n.start, End: l.wordEnd()}, l.pos, needSpace,
			fmt.Sprintf("a blank is missing after the number %s", l.file.Slice(span)),
			insert("insert a blank", l.pos, " "))
	case b == '.':
		triton := "Hex and octal numbers must be integers."
		if n.isFloat {
			triton = "Already saw decimal point or exponent; can't have another one."
		}
		if n.flawed {
			l.also(l.pos, triton)
			return
		}
		l.secondDot(n, triton)
	}
}

func (l *lexer) secondDot(n *numeral, triton string) {
	end := l.pos
	for end < len(l.src) && (l.src[end] == '.' || isDigit(l.src[end])) {
		end++
	}
	n.flawed = true
	span := Span{Start: n.start, End: end}
	l.flaw(CodeNumber, span, l.pos, triton,
		fmt.Sprintf("%s is not a number", l.file.Slice(span)), nil)
}

func (l *lexer) wordEnd() int {
	end := l.pos
	for end < len(l.src) && (isLetter(l.src[end]) || isDigit(l.src[end])) {
		end++
	}
	return end
}

// leadingDot reports a number like .5 directly behind a word.
func (l *lexer) leadingDot() {
	if len(l.tokens) == 0 {
		return
	}
	before := l.tokens[len(l.tokens)-1]
	if before.Kind != Identifier || before.Span.End != l.pos || l.full() {
		return
	}
	l.add(diag.Diagnostic{
		Code: CodeSpace, Span: Span{Start: l.pos, End: l.pos + 2},
		Message: fmt.Sprintf("a blank is missing between %s and the number", l.file.Slice(before.Span)),
		Triton:  l.file.Sentence(l.pos, "Need space between identifier and decimal point."),
		Fixes:   insert("insert a blank", l.pos, " "),
	})
	l.spoilt = true
}
