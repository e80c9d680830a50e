package jsondoc

import (
	"errors"
	"strconv"
)

const (
	invalidValue = "Invalid value."
	wrongEscape  = "Invalid escape character in string."
)

// scalar checks null, true, false, a string or a number.
func (p *parser) scalar() (Kind, error) {
	switch p.peek() {
	case 'n':
		return Null, p.word("null")
	case 't':
		return Bool, p.word("true")
	case 'f':
		return Bool, p.word("false")
	case '"':
		return String, p.str()
	}
	return Number, p.number()
}

func (p *parser) word(w string) error {
	p.pos++
	for i := 1; i < len(w); i++ {
		if !p.take(w[i]) {
			return p.fail(invalidValue)
		}
	}
	return nil
}

func (p *parser) number() error {
	start := p.pos
	p.take('-')
	switch c := p.peek(); {
	case c == '0':
		p.pos++
	case c >= '1' && c <= '9':
		p.digits()
	case c == 'N' || c == 'I':
		return p.notFinite()
	default:
		return p.fail(invalidValue)
	}
	suspicious := p.pos-start > 300
	if p.take('.') && p.digits() == 0 {
		return p.fail("Miss fraction part in number.")
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		n := p.digits()
		if n == 0 {
			return p.fail("Miss exponent in number.")
		}
		suspicious = suspicious || n > 2
	}
	if suspicious && tooBig(p.src[start:p.pos]) {
		return p.failAt(start, "Number too big to be stored in double.")
	}
	return nil
}

func (p *parser) digits() int {
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos]-'0' <= 9 {
		p.pos++
	}
	return p.pos - start
}

func tooBig(number []byte) bool {
	_, err := strconv.ParseFloat(string(number), 64)
	return errors.Is(err, strconv.ErrRange)
}

// notFinite reads NaN, Inf and Infinity, which Triton lets RapidJSON accept.
func (p *parser) notFinite() error {
	if p.take('N') {
		if p.take('a') && p.take('N') {
			return nil
		}
		return p.fail(invalidValue)
	}
	p.pos++ // I
	if !p.take('n') || !p.take('f') {
		return p.fail(invalidValue)
	}
	if p.peek() != 'i' {
		return nil
	}
	return p.word("inity")
}

// str checks a string, from its opening quotation mark to its closing one.
func (p *parser) str() error {
	p.pos++
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return nil
		case c == '\\':
			if err := p.escape(); err != nil {
				return err
			}
		case c < 0x20:
			return p.fail(wrongEscape)
		default:
			p.pos++
		}
	}
	return p.fail("Missing a closing quotation mark in string.")
}

func (p *parser) escape() error {
	start := p.pos
	p.pos++
	switch p.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.pos++
		return nil
	case 'u':
	default:
		return p.failAt(start, wrongEscape)
	}
	p.pos++
	r, ok := p.hex()
	if !ok {
		return p.failAt(start, "Incorrect hex digit after \\u escape in string.")
	}
	if r < 0xD800 || r > 0xDFFF {
		return nil
	}
	return p.lowSurrogate(start, r)
}

func (p *parser) lowSurrogate(start int, high rune) error {
	const text = "The surrogate pair in string is invalid."
	if high > 0xDBFF || !p.take('\\') || !p.take('u') {
		return p.failAt(start, text)
	}
	low, ok := p.hex()
	if !ok {
		return p.failAt(start, "Incorrect hex digit after \\u escape in string.")
	}
	if low < 0xDC00 || low > 0xDFFF {
		return p.failAt(start, text)
	}
	return nil
}

func (p *parser) hex() (rune, bool) {
	if p.pos+4 > len(p.src) {
		return 0, false
	}
	r, ok := hex4(p.src[p.pos:])
	if ok {
		p.pos += 4
	}
	return r, ok
}

func hex4(s []byte) (rune, bool) {
	var r rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
