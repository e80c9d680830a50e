package overlay

import (
	"fmt"

	"conch/configedit/text"
)

// Position is a place in a text: its line, and the UTF-16 code units before it on that line, both from 0.
type Position struct{ Line, Column int }

// Change puts another text in the place of a part. What lies outside the text is taken to its nearest end.
type Change struct {
	From, To Position
	Text     string
}

// Apply makes changes, one after the other, each in the text that those before it left.
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
