package refusals

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest texts that are kept, in bytes, before they are escaped.
const (
	longestReason = 1024
	longestName   = 256 // of a path, a model, a version
	longestID     = 128 // of a request, a client
)

// safe returns a copy of a client's text that is valid UTF-8, has no control characters, and is cut after most bytes.
// It is a copy, so that the request it comes from can be freed.
func safe(text string, most int) string {
	cut := len(text) > most
	if cut {
		text = text[:most]
		for i := 0; i < utf8.UTFMax-1 && len(text) > 0 && !utf8.RuneStart(text[len(text)-1]); i++ {
			text = text[:len(text)-1]
		}
		if last := len(text) - 1; last >= 0 && text[last] >= utf8.RuneSelf {
			text = text[:last] // the beginning of a character that was cut
		}
	}
	if !cut && plain(text) {
		return strings.Clone(text)
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// withoutID cuts off the ID of its request with which a reason begins in Triton: each request of a client has another
// one, and they would be no group.
func withoutID(reason, id string) string {
	if id == "" {
		id = "<id_unknown>"
	}
	return strings.TrimPrefix(reason, "[request id: "+id+"] ")
}

// kindOf returns what reasons of one kind have in common: the two words with which they begin, without what is quoted.
// More of the sentence may come from a client, who could make each reason a kind of its own.
func kindOf(reason string) string {
	unquoted, _, _ := strings.Cut(strings.ReplaceAll(reason, `"`, "'"), "'")
	words := strings.Fields(unquoted)
	return strings.Join(words[:min(len(words), 2)], " ")
}
