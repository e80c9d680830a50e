package check

import (
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// checkCache: RC1. An ensemble is decoupled when one of its steps is; Triton finds that out when it loads.
func (c *checker) checkCache() {
	if !c.cfg.GetResponseCache().GetEnable() {
		return
	}
	d := diag.Diagnostic{
		Code: "RC1", Span: c.span("response_cache", "enable"),
		Message: "a decoupled model may answer many times or never, so that its answers cannot be cached",
		Triton:  triton("Response Cache does not currently support model %s with 'decoupled' transaction policy. Please disable the response cache.", c.cfg.GetName()),
		Fixes:   replace("replace the value by false", c.span("response_cache", "enable"), "false"),
	}
	switch {
	case c.cfg.GetModelTransactionPolicy().GetDecoupled():
		d.Related = []diag.Related{{Span: c.span("model_transaction_policy", "decoupled"), Message: "the model is made decoupled here"}}
		c.add(rule.Poll, d)
	case c.isEnsemble() && c.decoupled(c.m):
		d.Message = "a step of the ensemble is decoupled and may answer many times or never, so that the answers cannot be cached"
		c.add(rule.Complete, d)
	}
}
