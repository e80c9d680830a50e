package check

import "conch/configedit/diag"

// checkCache: RC1. For an ensemble the value is computed from its steps, so that what is written does not count.
func (c *checker) checkCache() {
	if !c.cfg.GetResponseCache().GetEnable() || !c.cfg.GetModelTransactionPolicy().GetDecoupled() || c.isEnsemble() {
		return
	}
	c.add(stagePoll, diag.Diagnostic{
		Code: "RC1", Span: c.span("response_cache", "enable"),
		Message: "a decoupled model may answer many times or never, so that its answers cannot be cached",
		Triton:  triton("Response Cache does not currently support model %s with 'decoupled' transaction policy. Please disable the response cache.", c.cfg.GetName()),
		Related: []diag.Related{{Span: c.span("model_transaction_policy", "decoupled"), Message: "the model is made decoupled here"}},
		Fixes:   replace("replace the value by false", c.span("response_cache", "enable"), "false"),
	})
}
