package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unquote returns the bytes a string literal stands for, as the C++ tokenizer's
// ParseString does. Escapes that do not exist give a question mark; one of the
// quotes may be missing.
func Unquote(literal string) string {
	if literal == "" {
		return ""
	}
	body := literal
	if isQuote(literal[0]) {
		body = literal[1:]
	}
	if n := len(body); n > 0 && isQuote(body[n-1]) && (len(body) == len(literal) || body[n-1] == literal[0]) {
		body = body[:n-1]
	}
	if strings.IndexByte(body, '\\') < 0 {
		return body
	}
	u := unquoter{rest: body, out: make([]byte, 0, len(body))}
	for u.rest != "" {
		u.step()
	}
	return string(u.out)
}

// Quote writes bytes as a string literal in double quotes. Valid UTF-8 stays as
// it is; control characters and stray bytes become octal escapes.
func Quote(s string) string {
	out := []byte{'"'}
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '"' || r == '\\':
			out = append(out, '\\', byte(r))
		case r == '\n':
			out = append(out, `\n`...)
		case r == '\t':
			out = append(out, `\t`...)
		case r == '\r':
			out = append(out, `\r`...)
		case r < ' ' || r == 0x7f || r == utf8.RuneError && size == 1:
			out = append(out, '\\', '0'+s[0]>>6, '0'+s[0]>>3&7, '0'+s[0]&7)
		default:
			out = append(out, s[:size]...)
		}
		s = s[size:]
	}
	return string(append(out, '"'))
}

type unquoter struct {
	rest string
	out  []byte
}

func (u *unquoter) step() {
	if u.rest[0] != '\\' || len(u.rest) == 1 {
		u.out = append(u.out, u.rest[0])
		u.rest = u.rest[1:]
		return
	}
	c := u.rest[1]
	switch {
	case isOctal(c):
		u.number(1, 3, 8)
	case c == 'x' && len(u.rest) > 2 && isHex(u.rest[2]):
		u.number(2, 2, 16)
	case c == 'u' || c == 'U':
		u.codepoint()
	default:
		u.out = append(u.out, simpleEscape(c))
		u.rest = u.rest[2:]
	}
}

func simpleEscape(c byte) byte {
	const names, bytes = `abfnrtv\?'"`, "\a\b\f\n\r\t\v\\?'\""
	if i := strings.IndexByte(names, c); i >= 0 {
		return bytes[i]
	}
	return '?'
}

// number takes up to most digits after skip bytes, for one byte.
func (u *unquoter) number(skip, most, base int) {
	end := skip
	for end < len(u.rest) && end < skip+most && digitIn(u.rest[end], base) {
		end++
	}
	v, _ := strconv.ParseUint(u.rest[skip:end], base, 16)
	u.out = append(u.out, byte(v))
	u.rest = u.rest[end:]
}

func digitIn(b byte, base int) bool {
	if base == 8 {
		return isOctal(b)
	}
	return isHex(b)
}

// codepoint takes \u or \U, and two \u that make a surrogate pair.
func (u *unquoter) codepoint() {
	v, size, ok := readCodepoint(u.rest)
	if !ok {
		u.out = append(u.out, '?')
		u.rest = u.rest[2:]
		return
	}
	u.rest = u.rest[size:]
	if v >= 0xd800 && v < 0xdc00 {
		if low, n, ok := readCodepoint(u.rest); ok && low >= 0xdc00 && low < 0xe000 {
			v = 0x10000 + (v-0xd800)<<10 + (low - 0xdc00)
			u.rest = u.rest[n:]
		}
	}
	u.out = utf8.AppendRune(u.out, v)
}

func readCodepoint(s string) (v rune, size int, ok bool) {
	if len(s) < 2 || s[0] != '\\' || s[1] != 'u' && s[1] != 'U' {
		return 0, 0, false
	}
	size = 6
	if s[1] == 'U' {
		size = 10
	}
	if len(s) < size {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(s[2:size], 16, 32)
	return rune(n), size, err == nil
}
