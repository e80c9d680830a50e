package check

import (
	"errors"

	"conch/configedit/derive"
	"conch/configedit/rule"
)

// checkBatchSize: G6.
func checkBatchSize(c *checker) {
	if c.cfg.GetMaxBatchSize() >= 0 {
		return
	}
	c.report(finding{
		rule: rule.G6, span: c.span("max_batch_size"), args: values(c.cfg.GetName()),
		message: say("max_batch_size is %d; it must be 0 (no batching) or the largest batch", c.cfg.GetMaxBatchSize()),
		fixes:   replace(say("replace %d by 0", c.cfg.GetMaxBatchSize()), c.span("max_batch_size"), "0"),
	})
}

// checkCompletion: AC2, and other reasons why the config cannot be completed.
func checkCompletion(c *checker) {
	var problem *derive.Problem
	if !errors.As(c.m.Problem, &problem) || problem.Rule == rule.AC1 {
		return
	}
	f := c.problem(problem)
	f.stage = rule.Complete
	if problem.Rule != rule.AC2 {
		f.message = "the model file cannot be served: " + problem.Triton
		c.report(f)
		return
	}
	f.message = say("the model file cannot take batches, because not all of its inputs and outputs begin with a free dimension, and max_batch_size is %d",
		c.cfg.GetMaxBatchSize())
	f.fixes = replace(say("replace %d by 0", c.cfg.GetMaxBatchSize()), f.span, "0")
	c.report(f)
}
