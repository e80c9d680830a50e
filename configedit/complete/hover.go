package complete

import (
	"conch/configedit/check"
	"conch/configedit/diag"
)

// Help explains what stands at a place.
type Help struct {
	Span          diag.Span
	Title         string
	Documentation string
}

// Hover explains the field or value at a byte offset of the model's text; false where there is none.
func Hover(m *check.Model, offset int, env check.Env) (Help, bool) {
	return Help{}, false
}
