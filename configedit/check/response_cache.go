package check

import (
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// checkCache: RC1. An ensemble is decoupled if one of its steps is; Triton checks that when it loads.
func checkCache(c *checker) {
	if !c.cfg.GetResponseCache().GetEnable() {
		return
	}
	d := finding{
		rule: rule.RC1, span: c.span("response_cache", "enable"), args: values(c.cfg.GetName()),
		message: "a decoupled model may answer many times or never, so its answers cannot be cached",
		fixes:   replace("replace the value by false", c.span("response_cache", "enable"), "false"),
	}
	switch {
	case c.cfg.GetModelTransactionPolicy().GetDecoupled():
		d.related = []diag.Related{{Span: c.span("model_transaction_policy", "decoupled"), Message: "the model is made decoupled here"}}
		c.report(d)
	case c.isEnsemble() && c.decoupled(c.m):
		d.stage = rule.Complete
		d.message = "a step of the ensemble is decoupled and may answer many times or never, so the answers cannot be cached"
		c.report(d)
	}
}
