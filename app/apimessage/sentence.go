package apimessage

import (
	"strings"
	"unicode"
)

// Sentence begins a message with a capital letter, as people read it; one that begins with something quoted, or with
// a name as it stands in a file, stays as it is.
func Sentence(message string) string {
	if first, _, _ := strings.Cut(message, " "); first == "dims" || first == "gpus" {
		return message // words of configs and of nothing else
	}
	for i, r := range message {
		switch {
		case r >= 'a' && r <= 'z':
		case i > 0 && (r == ' ' || r == ',' || r == ';' || r == '\''):
			return string(unicode.ToUpper(rune(message[0]))) + message[1:]
		default:
			return message
		}
	}
	return message
}
