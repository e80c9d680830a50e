package check

import (
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// Refusal is an error for which Triton has a sentence: the rule, and what Triton says when it stops at it.
type Refusal struct {
	Rule *rule.Rule
	// Stage is when Triton looks in this case.
	Stage    rule.Stage
	Status   rule.Status
	Sentence string
}

// Refusals are the errors of a model in the order in which Triton would come to them; it stops at the first. There are
// none where it stops at the text.
func Refusals(m *Model, env Env) []Refusal {
	c := newChecker(m, env, newShared())
	c.judge()
	if diag.HasErrors(m.Syntax) {
		return nil
	}
	var list []Refusal
	for _, f := range c.errorsInOrder() {
		list = append(list, Refusal{Rule: f.rule, Stage: f.stage, Status: f.status, Sentence: f.Triton})
	}
	return list
}
