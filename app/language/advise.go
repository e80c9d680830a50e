package language

import (
	"conch/configedit/check"
	"conch/configedit/diag"
)

// Advise lists what works in a model and could work better, sorted. Diagnose lists what is wrong.
func (a *Analysis) Advise(m *Model) []diag.Diagnostic { return check.Advise(m.subject()) }
