// Package visible makes text that others wrote, such as names of files and lines of configs, safe to
// show in a terminal and in the log of a CI job. It writes as escapes, as Go writes them, characters
// that move the cursor, change the order in which text is read, end a line, or give a command to the
// runner of the job. It does not know what the text is about.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"conch/configedit/folder"
)

// Line returns a text on one line.
func Line(s string) string {
	if !suspect(s) {
		return s
	}
	var b strings.Builder
	if begins := commandAtStart(s); begins >= 0 {
		b.WriteString(s[:begins] + `\x3a`)
		s = s[begins+1:]
	}
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case command(s):
			b.WriteString(`#\x23`)
			size = 2
		case r == utf8.RuneError && size <= 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		default:
			escape(&b, r)
		}
		s = s[size:]
	}
	return b.String()
}

// Lines returns a text of several lines; each is as Line makes it.
func Lines(s string) string { return each(s, "\n") }

// Source returns a line of a file; tabs stay.
func Source(s string) string { return each(s, "\t") }

func each(s, separator string) string {
	parts := strings.Split(s, separator)
	for i, part := range parts {
		parts[i] = Line(part)
	}
	return strings.Join(parts, separator)
}

// JSON returns a JSON text with the same meaning. What is not safe in its strings is written as JSON's
// escapes; JSON itself requires that only below U+0020.
func JSON(text []byte) []byte {
	return inStrings(text, `\u0023`, func(b *strings.Builder, r rune) {
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(b, `\u%04x`, unit)
		}
	})
}

// Config returns a config in Protobuf's text format with the same meaning, without comments. Strings
// have octal escapes.
func Config(text []byte) []byte {
	return inStrings(text, `\043`, func(b *strings.Builder, r rune) {
		for _, unit := range []byte(string(r)) {
			fmt.Fprintf(b, `\%03o`, unit)
		}
	})
}

// inStrings escapes characters that occur in strings only, and the # of a command to a runner.
func inStrings(text []byte, hash string, escaped func(*strings.Builder, rune)) []byte {
	var b strings.Builder
	for _, r := range string(text) {
		if r == '\n' || !folder.Misleading(r) {
			b.WriteRune(r)
		} else {
			escaped(&b, r)
		}
	}
	return []byte(strings.NewReplacer("##[", "#"+hash+"[", "##vso[", "#"+hash+"vso[").Replace(b.String()))
}

// suspect is a fast check: most text is harmless.
func suspect(s string) bool {
	return commandAtStart(s) >= 0 || strings.Contains(s, "##") || strings.ContainsFunc(s, folder.Misleading) || !utf8.ValidString(s)
}

// commandAtStart returns where a line begins with a colon, else -1. GitHub's runner takes "::error::…"
// for a command, after any white space. One colon is enough, since another may follow the text.
func commandAtStart(s string) int {
	trimmed := strings.TrimLeftFunc(s, func(r rune) bool { return unicode.Is(unicode.Zs, r) || folder.Joins(r) })
	if strings.HasPrefix(trimmed, ":") {
		return len(s) - len(trimmed)
	}
	return -1
}

// command reports whether s begins with what a runner takes for a command anywhere in a line:
// "##[group]" for GitHub and Azure, "##vso[task.setvariable …]" for Azure.
func command(s string) bool { return strings.HasPrefix(s, "##[") || strings.HasPrefix(s, "##vso[") }

func escape(b *strings.Builder, r rune) {
	switch short := strings.IndexRune("\a\b\f\n\r\t\v", r); {
	case !folder.Misleading(r):
		b.WriteRune(r)
	case short >= 0:
		b.WriteString(`\` + "abfnrtv"[short:short+1])
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r > 0xffff:
		fmt.Fprintf(b, `\U%08x`, r)
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}
