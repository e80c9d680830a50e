package lastwords

import "strings"

// Between is what stands between the reason of a process's end and what it wrote last.
const Between = "; its last lines: "

// Without returns the text of an error without what a process wrote last, for places that have that already, as a log does.
func Without(text string) string {
	text, _, _ = strings.Cut(text, Between)
	return text
}
