package folder

import (
	"strings"
	"unicode/utf8"
)

// Name writes a file's name, or a path, as text. A system may have names that
// are not UTF-8, and a protobuf string, JSON and a page cannot. Each byte that
// is not part of a character becomes \xNN, with small hexadecimal digits. A
// backslash that would read as the beginning of such an escape becomes \x5c.
// All other names stay as they are. Raw gives the name back.
func Name(raw string) string {
	if utf8.ValidString(raw) && !strings.Contains(raw, `\x`) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		_, escape := escaped(raw[i:])
		if r == utf8.RuneError && size == 1 || escape {
			writeByte(&b, raw[i])
			size = 1
		} else {
			b.WriteString(raw[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Raw returns the name that Name has written.
func Raw(name string) string {
	if !strings.Contains(name, `\x`) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		if c, ok := escaped(name[i:]); ok {
			b.WriteByte(c)
			i += escapeLen
			continue
		}
		b.WriteByte(name[i])
		i++
	}
	return b.String()
}

// Text writes a text for people, which may quote a name, as valid UTF-8. It
// is not meant to be read back: a backslash stays as it is.
func Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			writeByte(&b, s[i])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

const (
	escapeLen = len(`\xff`)
	digits    = "0123456789abcdef"
)

func writeByte(b *strings.Builder, c byte) {
	b.WriteString(`\x`)
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&0xf])
}

// escaped reads an escape at the beginning of s. Only what Name writes is one:
// bytes beyond ASCII, and the backslash. An escape never stands for a slash,
// so it changes nothing about the folders of a path.
func escaped(s string) (byte, bool) {
	if len(s) < escapeLen || s[:2] != `\x` {
		return 0, false
	}
	high, low := strings.IndexByte(digits, s[2]), strings.IndexByte(digits, s[3])
	if high < 0 || low < 0 {
		return 0, false
	}
	c := byte(high<<4 | low)
	return c, c >= utf8.RuneSelf || c == '\\'
}
