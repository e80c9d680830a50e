package check_test

import (
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/rule"
)

// hasCases reports whether a rule has its cases here. Those about a repository are tested in repo/scan and app/checkcmd, and
// the file of LBL1 has a million lines: see TestLargeLabels.
func hasCases(r *rule.Rule) bool {
	return r == rule.DUPLICATE || r.Subject() != rule.STRAY.Subject() && r != rule.LBL1
}

// TestRulesHaveCases: for every rule of the table a case in testdata that breaks it, in a file of its name, beside a
// near miss that Triton takes.
func TestRulesHaveCases(t *testing.T) {
	cases := golden.Cases(t, "testdata")
	for _, r := range rule.All() {
		broken, near := false, false
		for _, c := range cases {
			if !strings.HasPrefix(c.Name, r.Case()) {
				continue
			}
			want := c.Wanted()
			broken = broken || strings.Contains(want, " "+r.ID+": ")
			near = near || strings.Contains(want, ": fine\n") || nearOnlyWarns(want)
		}
		if hasCases(r) && (!broken || !near) {
			t.Errorf("rule %s: a case that breaks it: %t; a near miss: %t", r.ID, broken, near)
		}
	}
}

// nearOnlyWarns reports whether the model called near is taken, though not without a warning.
func nearOnlyWarns(want string) bool {
	there := false
	for line := range strings.Lines(want) {
		if strings.HasPrefix(line, "near:") {
			there = true
			if strings.Contains(line, " error ") {
				return false
			}
		}
	}
	return there
}
