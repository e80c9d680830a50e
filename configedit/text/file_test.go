package text_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"conch/configedit/text"
)

// TestPositions compares every conversion with counting from the start.
func TestPositions(t *testing.T) {
	sources := []string{
		"", "a", "\n", "ab\ncd\n", "a\r\nb\r\n", "é\nüx😀y\n😀", "a\xffb\xe2\x28c",
		strings.Repeat("näme: \"😀\" # tröt\n", 40),
	}
	for _, src := range sources {
		f := text.NewFile("f", []byte(src))
		line, col, units, begun := 1, 1, 0, 0
		for off, r := range src {
			if l, c := f.Position(off); l != line || c != col {
				t.Errorf("%q: byte %d at %d:%d, want %d:%d", src, off, l, c, line, col)
			}
			if got := f.UTF16(off); got != units {
				t.Errorf("%q: byte %d is unit %d, want %d", src, off, got, units)
			}
			if got := f.FromUTF16(units); got != off {
				t.Errorf("%q: unit %d is byte %d, want %d", src, units, got, off)
			}
			if got := f.Offset(line, col); got != off && r != '\n' {
				t.Errorf("%q: %d:%d is byte %d, want %d", src, line, col, got, off)
			}
			if l, c := f.UTF16Position(off); l != line-1 || c != units-begun {
				t.Errorf("%q: byte %d at %d:%d in UTF-16, want %d:%d", src, off, l, c, line-1, units-begun)
			}
			if got := f.FromUTF16Position(line-1, units-begun); got != off && r != '\n' {
				t.Errorf("%q: %d:%d in UTF-16 is byte %d, want %d", src, line-1, units-begun, got, off)
			}
			units += utf16.RuneLen(r)
			col++
			if r == '\n' {
				line, col, begun = line+1, 1, units
			}
		}
		if got := f.FromUTF16(units + 5); got != len(src) {
			t.Errorf("%q: beyond the end is byte %d", src, got)
		}
	}
}

func TestOffsetOutside(t *testing.T) {
	f := text.NewFile("f", []byte("ab\r\ncd"))
	for _, c := range []struct{ line, col, want int }{
		{0, 1, 0}, {1, 99, 2}, {2, 99, 6}, {9, 1, 6}, {1, -1, 0},
	} {
		if got := f.Offset(c.line, c.col); got != c.want {
			t.Errorf("%d:%d is byte %d, want %d", c.line, c.col, got, c.want)
		}
	}
}

func TestUTF16PositionOutside(t *testing.T) {
	f := text.NewFile("f", []byte("😀b\r\ncd"))
	for _, c := range []struct{ line, column, want int }{
		{-1, 3, 0}, {0, 2, 4}, {0, 1, 0}, {0, 99, 5}, {1, 99, 9}, {7, 0, 9}, {1, -3, 7},
	} {
		if got := f.FromUTF16Position(c.line, c.column); got != c.want {
			t.Errorf("%d:%d is byte %d, want %d", c.line, c.column, got, c.want)
		}
	}
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a", "a\"b\\c", "\n\t\r\x00\x7f", "é😀", "\xff\xfe1", "?'"} {
		if got := text.Unquote(text.Quote(s)); got != s {
			t.Errorf("%q comes back as %q from %s", s, got, text.Quote(s))
		}
	}
	for literal, want := range map[string]string{
		`"\x41\1012\u00e9\U0001F600\a\?"`: "AA2é😀\a?",
		`'\uD83D\uDE00'`:                  "😀",
		`"open`:                           "open",
		`"\q`:                             "?",
		`"`:                               "",
	} {
		if got := text.Unquote(literal); got != want {
			t.Errorf("%s is %q, want %q", literal, got, want)
		}
	}
}
