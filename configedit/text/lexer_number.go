package text

import (
	"fmt"
	"strconv"
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
	l.spoilt = n.flawed && l.at(0) == '.' || l.unit
	l.unit = false
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
		l.joined(span)
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

// joined reports a word right behind a number: the next field, or a unit.
func (l *lexer) joined(number Span) {
	whole := Span{Start: number.Start, End: l.wordEnd()}
	if l.namesField(whole.End) {
		l.flaw(CodeSpace, whole, l.pos, needSpace,
			fmt.Sprintf("a blank is missing after the number %s", l.file.Slice(number)),
			insert("insert a blank", l.pos, " "))
		return
	}
	l.unit = true
	message := fmt.Sprintf("%s is not a number", l.file.Slice(whole))
	var fixes []diag.Fix
	if factor, ok := units[string(l.src[l.pos:whole.End])]; ok {
		message += "; numbers are written without a unit"
		if value, ok := l.inMicroseconds(l.file.Slice(number), factor); ok {
			message += ", and this one is in microseconds"
			fixes = replace("write "+value, whole, value)
		}
	}
	l.flaw(CodeNumber, whole, l.pos, needSpace, message, fixes)
}

// namesField reports whether a colon or an opening brace follows an offset.
func (l *lexer) namesField(off int) bool {
	for off < len(l.src) && (l.src[off] == ' ' || l.src[off] == '\t') {
		off++
	}
	return off < len(l.src) && strings.IndexByte(":{<[", l.src[off]) >= 0
}

// units are what people write behind numbers: microseconds, where they are a time, and else 0.
var units = map[string]uint64{
	"us": 1, "usec": 1, "usecs": 1, "micros": 1, "microseconds": 1,
	"ms": 1000, "msec": 1000, "msecs": 1000, "millis": 1000, "milliseconds": 1000,
	"s": 1e6, "sec": 1e6, "secs": 1e6, "seconds": 1e6, "ns": 0,
	"b": 0, "B": 0, "k": 0, "K": 0, "kb": 0, "KB": 0, "m": 0, "M": 0, "mb": 0, "MB": 0, "g": 0, "G": 0, "gb": 0, "GB": 0,
	"KiB": 0, "MiB": 0, "GiB": 0, "x": 0,
}

// inMicroseconds converts a number with a unit of time that is the value of a field in microseconds.
func (l *lexer) inMicroseconds(number string, factor uint64) (string, bool) {
	n := len(l.tokens)
	if factor == 0 || n < 2 || l.tokens[n-2].Kind != Identifier || !strings.HasSuffix(l.file.Slice(l.tokens[n-2].Span), "_microseconds") {
		return "", false
	}
	value, err := strconv.ParseUint(number, 10, 32)
	return strconv.FormatUint(value*factor, 10), err == nil
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
