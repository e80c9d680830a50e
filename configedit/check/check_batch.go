package check

import (
	"errors"

	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// checkBatchSize: G6.
func (c *checker) checkBatchSize() {
	if c.cfg.GetMaxBatchSize() >= 0 {
		return
	}
	c.add(rule.Poll, diag.Diagnostic{
		Code: "G6", Span: c.span("max_batch_size"),
		Message: say("max_batch_size is %d; it must be 0 (no batching) or the largest batch", c.cfg.GetMaxBatchSize()),
		Triton:  triton("'max_batch_size' must be non-negative value for %s", c.cfg.GetName()),
		Fixes:   replace(say("replace %d by 0", c.cfg.GetMaxBatchSize()), c.span("max_batch_size"), "0"),
	})
}

// checkCompletion: AC2, and whatever else keeps the config from being completed.
func (c *checker) checkCompletion() {
	var problem *derive.Problem
	if !errors.As(c.m.Problem, &problem) || problem.Rule == derive.RuleBackendName {
		return
	}
	d := diag.Diagnostic{Code: problem.Rule, Span: c.span(problem.Path...), Triton: problem.Triton}
	if problem.Rule != derive.RuleAutofillBatch {
		d.Message = "the model file cannot be served: " + problem.Triton
		c.add(rule.Complete, d)
		return
	}
	d.Message = say("the model file cannot take batches, because not all of its inputs and outputs begin with a free dimension, and max_batch_size is %d",
		c.cfg.GetMaxBatchSize())
	d.Fixes = replace(say("replace %d by 0", c.cfg.GetMaxBatchSize()), d.Span, "0")
	c.add(rule.Complete, d)
}
