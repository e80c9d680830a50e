package language

import (
	"conch/configedit/check"
	"conch/configedit/diag"
)

// Advise lists what works about a model and could work better, sorted; kept apart from what is wrong.
func (a *Analysis) Advise(m *Model) []diag.Diagnostic { return check.Advise(m.subject()) }
