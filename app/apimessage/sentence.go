package apimessage

import (
	"strings"
	"unicode"

	"conch/configedit/modelconfig"
)

// ofFields follows the name of a field that a message speaks of: "backend wants a string". Where another word follows, as in
// "input \"a\" is missing", the word is one of the language.
var ofFields = map[string]bool{"wants": true, "takes": true, "is": true, "has": true, "cannot": true, "must": true}

// beginsWithField reports whether a message begins with a word as it is written in a config.
func beginsWithField(message string) bool {
	first, rest, _ := strings.Cut(message, " ")
	second, _, _ := strings.Cut(rest, " ")
	return first == "dims" || first == "gpus" || modelconfig.IsField(first) && ofFields[second]
}

// Sentence makes the first letter of a message a capital. A message stays as it is when it begins with
// a quote, or with a name of a file or a field.
func Sentence(message string) string {
	if beginsWithField(message) {
		return message
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
