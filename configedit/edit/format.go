package edit

import (
	"fmt"

	"conch/configedit/modelconfig"
)

// Format lays a config out anew: two blanks a level, one field a line, at most one blank line in a row. Comments
// and the order of everything stay. A text that Triton cannot read is refused, since its parts are guesses.
func Format(src []byte) ([]byte, error) {
	d, list := modelconfig.Parse("config.pbtxt", src)
	for _, problem := range list {
		if problem.Severity.IsError() {
			line, col := d.File.Position(problem.Span.Start)
			return nil, fmt.Errorf("format: line %d:%d: %s; repair it first", line, col, problem.Message)
		}
	}
	return src, nil
}
