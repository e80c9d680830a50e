package check

import (
	"conch/configedit/modelconfig"
)

// What is beyond any use. Where the processors are not known, a large machine is meant.
const (
	copiesPerProcessor = 16
	leastTooMany       = 256
	largeMachine       = 64
	manyWarmUps        = 1_000_000
)

// checkCounts: CNT1 and CNT2. Triton takes any number, and a server that is asked for millions never comes to serve the model.
func (c *checker) checkCounts() {
	if c.m.Decoded == nil || c.isEnsemble() {
		return
	}
	instances := uint64(0)
	for i, group := range c.m.Decoded.Config.GetInstanceGroup() {
		if !group.Passive {
			instances += uint64(max(group.Count, 1))
		}
		if int(group.Count) > c.fewCopies() && group.Kind != modelconfig.ModelInstanceGroup_KIND_MODEL {
			c.warn("CNT1", c.span("instance_group", i, "count"), say("%d instances are created before the model serves; a machine can run only a few of them at once", group.Count), "")
		}
	}
	for i, sample := range c.m.Decoded.Config.GetModelWarmup() {
		if runs := uint64(max(sample.Count, 1)) * max(instances, 1); sample.BatchSize > 0 && runs > manyWarmUps {
			c.warn("CNT2", c.span("model_warmup", i, "count"), say("the sample is run %d times before the model serves", runs), "")
		}
	}
}

// fewCopies is how many instances a group may have without a word.
func (c *checker) fewCopies() int {
	processors := c.m.Facts.Processors
	if processors == 0 {
		processors = largeMachine
	}
	return max(leastTooMany, copiesPerProcessor*processors)
}
