package workspace

import (
	"testing"

	"conch/app/api"
	"conch/app/traceback"
	"conch/configedit/rule"
)

// TestTold: one mistake counts once, though Conch and each Python tell it in words of their own; another one counts as well.
func TestTold(t *testing.T) {
	const unread = "SyntaxError: invalid syntax (model.py, line 2)"
	for _, c := range []struct {
		name, code, triton, failed string
		want                       bool
	}{
		{"a colon that is missing", rule.PY3.ID, "SyntaxError", unread, true},
		{"the same words", rule.PY1.ID, "…: NameError: x", "NameError: x", true},
		{"an error of a program that is read", rule.PY3.ID, "SyntaxError", "NameError: x", false},
		{"another problem of the config", rule.PY1.ID, "…", unread, false},
	} {
		s := &openRepository{}
		s.checking.known = map[string]finding{"m": {problems: []*api.FileProblems{{Diagnostics: []*api.Diagnostic{{Code: c.code, Triton: c.triton}}}}}}
		e, _ := traceback.Read(c.failed)
		if got := s.told("m", e); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
