package check

import (
	"maps"
	"slices"
	"strings"

	"conch/configedit/rule"
)

// ignored checks settings that Triton accepts but ignores, or reports only in its log.
type ignored struct{ *checker }

// checkIgnored: settings that Triton accepts but ignores, or reports only in its log. L16, L20, L21, MM5 and CC1.
func checkIgnored(base *checker) {
	c := ignored{base}
	c.ignoredStrategy()
	c.mixedResources()
	c.unknownAgents()
	c.unknownFamilies()
	c.badCapabilities()
}

// ignoredStrategy: L16.
func (c ignored) ignoredStrategy() {
	if _, given := c.cfg.GetParameters()[batchStrategy.Key]; given && c.cfg.GetSequenceBatching() != nil {
		c.report(finding{
			rule: rule.L16, span: c.span("parameters", batchStrategy.Key, "key"),
			message: "Triton does not use a batching library for sequences",
		})
	}
}

// mixedResources: L21, which only a server with rate limiting refuses.
func (c ignored) mixedResources() {
	type place struct {
		global bool
		group  int
	}
	first := map[string]place{}
	for i, group := range c.cfg.GetInstanceGroup() {
		for j, r := range group.GetRateLimiter().GetResources() {
			before, known := first[r.Name]
			if !known {
				first[r.Name] = place{r.Global, i}
				continue
			}
			if before.global != r.Global && !c.full() {
				c.report(finding{
					rule: rule.L21, span: c.span("instance_group", i, "rate_limiter", "resources", j, "name"),
					args:    values(r.Name),
					message: say("resource %q is global in one place and per device in another; a server with --rate-limit=execution_count refuses that", r.Name),
				})
				return
			}
		}
	}
}

// unknownAgents: L20. Other agents than Triton's own may be installed.
func (c ignored) unknownAgents() {
	for i, a := range c.cfg.GetModelRepositoryAgents().GetAgents() {
		if a.Name != "checksum" && !c.full() && !c.spoiled("model_repository_agents") {
			c.report(finding{
				rule: rule.L20, span: c.span("model_repository_agents", "agents", i, "name"),
				args:    values(a.Name, a.Name),
				message: say("Triton includes no repository agent %q, only checksum", a.Name),
			})
		}
	}
}

// unknownFamilies: MM5.
func (c ignored) unknownFamilies() {
	for i, control := range c.cfg.GetModelMetrics().GetMetricControl() {
		if family := control.GetMetricIdentifier().GetFamily(); family != "" && family != "nv_inference_first_response_histogram_ms" {
			c.report(finding{
				rule: rule.MM5, span: c.span("model_metrics", "metric_control", i, "metric_identifier", "family"),
				args:    values(family),
				message: say("metric family %q cannot be changed; only nv_inference_first_response_histogram_ms can", family),
			})
		}
	}
}

// badCapabilities: CC1, keys that name no compute capability.
func (c ignored) badCapabilities() {
	for _, key := range slices.Sorted(maps.Keys(c.cfg.GetCcModelFilenames())) {
		if !capability(key) && !c.full() {
			c.report(finding{
				rule: rule.CC1, span: c.span("cc_model_filenames", key, "key"),
				message: say("%q is not a compute capability, such as \"8.0\", so this file is never used", key),
			})
		}
	}
}

func capability(key string) bool {
	major, minor, dotted := strings.Cut(key, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return dotted && digits(major) && digits(minor)
}
