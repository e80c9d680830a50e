package main

import (
	"strings"
	"testing"
)

// TestExplain: a rule in upper or lower case, the list of all, and a rule that does not exist, with
// the rules of similar names.
func TestExplain(t *testing.T) {
	text, unknown := (&explainCommand{Rules: []string{"sb1"}}).text()
	if unknown != "" || !strings.HasPrefix(text, "SB1: a sequence model has the response cache on\n") || !strings.Contains(text, "\nWhy: ") ||
		!strings.Contains(text, "\n    - response_cache { enable: true }\n    + response_cache { enable: false }\n") {
		t.Errorf("SB1: %s%s", text, unknown)
	}
	if list, _ := (&explainCommand{}).text(); !strings.Contains(list, "\nSequence batching\n  SB1 ") {
		t.Errorf("the list: %s", list)
	}
	text, unknown = (&explainCommand{Rules: []string{"SB1", "SB01\x1b[31m"}}).text()
	if text != "" || !strings.HasPrefix(unknown, `there is no rule SB01\x1b[31m.`) {
		t.Errorf("an unknown rule: %q, %q", text, unknown)
	}
	if _, unknown := (&explainCommand{Rules: []string{"txtenum"}}).text(); unknown != "there is no rule txtenum. Did you mean TXT-ENUM? `conch explain` lists all rules." {
		t.Errorf("a rule with a similar one: %q", unknown)
	}
	if _, unknown := (&explainCommand{Rules: []string{"nosuch"}}).text(); unknown != "there is no rule nosuch. `conch explain` lists all rules." {
		t.Errorf("a rule without a similar one: %q", unknown)
	}
	if status := run([]string{"explain", "SB01"}); status != misused {
		t.Errorf("an unknown rule ends with %d", status)
	}
}
