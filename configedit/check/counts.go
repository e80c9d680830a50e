package check

import (
	"fmt"
	"regexp"
	"strconv"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// manyWarmUps is more than any model needs.
const manyWarmUps = 1_000_000

// checkCounts: CNT1, CNT2 and CNT3. Triton takes any number, but with millions the model never becomes ready.
func checkCounts(c *checker) {
	if c.m.Decoded == nil || c.isEnsemble() {
		return
	}
	c.checkThreads()
	instances := uint64(0)
	for i, group := range c.m.Decoded.Config.GetInstanceGroup() {
		if !group.Passive {
			instances += uint64(max(group.Count, 1))
		}
		if int(group.Count) > derive.Plenty(c.m.Facts.Processors) && group.Kind != modelconfig.ModelInstanceGroup_KIND_MODEL {
			c.report(finding{
				rule: rule.CNT1, span: c.span("instance_group", i, "count"),
				message: say("%d instances are created before the model serves; a machine can run only a few of them at once", group.Count),
			})
		}
	}
	for i, sample := range c.m.Decoded.Config.GetModelWarmup() {
		runs := uint64(max(sample.Count, 1))
		if sample.BatchSize == 0 || runs*max(instances, 1) <= manyWarmUps {
			continue
		}
		who := "the sample is run %v times before the model serves"
		if instances > 1 {
			who = fmt.Sprintf("each of %v instances runs the sample %%v times before the model serves", diag.Number(instances))
		}
		c.report(finding{rule: rule.CNT2, span: c.span("model_warmup", i, "count"), message: say(who, diag.Number(runs))})
	}
}

// leadingCount matches the part of a number that backends read: "2x" is 2.
var leadingCount = regexp.MustCompile(`^\s*\+?([0-9]+)`)

// checkThreads: CNT3.
func (c *checker) checkThreads() {
	most := derive.Plenty(c.m.Facts.Processors)
	for _, key := range backends.Named(c.cfg.GetBackend()).ThreadKeys {
		digits := leadingCount.FindStringSubmatch(c.cfg.GetParameters()[key].GetStringValue())
		if digits == nil || c.spoiled("parameters", key) {
			continue
		}
		// A number that is too large for the backend has an error of its own.
		if n, err := strconv.ParseInt(digits[1], 10, 32); err == nil && int(n) > most {
			c.report(finding{
				rule: rule.CNT3, span: c.span("parameters", key, "string_value"),
				message: say("%s is %d, and so many threads are created before the model serves; a machine can run only a few of them at once", key, n),
			})
		}
	}
}
