package overlay

import (
	"fmt"

	"conch/configedit/text"
)

// Position is a place in a text: its line, and the UTF-16 code units before it on that line, both from 0.
type Position struct{ Line, Column int }

// Change replaces a part of a text. A position outside the text means the nearest end of the text.
type Change struct {
	From, To Position
	Text     string
}

// Apply makes the changes one after the other. Each applies to the text that the changes before it
// made.
func Apply(src string, changes []Change) (string, error) {
	for _, c := range changes {
		file := text.NewFile("", []byte(src))
		from := file.FromUTF16Position(c.From.Line, c.From.Column)
		to := file.FromUTF16Position(c.To.Line, c.To.Column)
		if from > to {
			return "", fmt.Errorf("a change begins at %d:%d, after its end at %d:%d", c.From.Line, c.From.Column, c.To.Line, c.To.Column)
		}
		src = src[:from] + c.Text + src[to:]
	}
	return src, nil
}
