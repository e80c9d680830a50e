package apimessage

import (
	"strings"
	"unicode"
)

// Sentence makes the first letter of a message a capital. A message stays as it is when it begins with
// a quote, or with a name of a file.
func Sentence(message string) string {
	if first, _, _ := strings.Cut(message, " "); first == "dims" || first == "gpus" {
		return message // a word of configs only
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
