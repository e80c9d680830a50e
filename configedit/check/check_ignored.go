package check

import (
	"maps"
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/rule"
)

// checkIgnored: what Triton takes and then does not do, or does only in its log. L16, L20, L21, MM5 and CC1.
func (c *checker) checkIgnored() {
	c.ignoredStrategy()
	c.mixedResources()
	c.unknownAgents()
	c.unknownFamilies()
	c.badCapabilities()
}

func (c *checker) warn(code string, span diag.Span, message, sentence string) {
	c.add(rule.Never, diag.Diagnostic{Severity: diag.Warning, Code: code, Span: span, Message: message, Triton: sentence})
}

// ignoredStrategy: L16.
func (c *checker) ignoredStrategy() {
	if _, given := c.cfg.GetParameters()[batchStrategy.Key]; given && c.cfg.GetSequenceBatching() != nil {
		c.warn("L16", c.span("parameters", batchStrategy.Key, "key"), "sequences are not joined by a library of one's own; it is not used",
			"TRITON_BATCH_STRATEGY_PATH cannot be specified with sequence batcher, using default batching strategy")
	}
}

// mixedResources: L21, which only a server with rate limiting refuses.
func (c *checker) mixedResources() {
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
				c.warn("L21", c.span("instance_group", i, "rate_limiter", "resources", j, "name"),
					say("resource %q is global in one place and each device's own in another; a server that limits rates refuses that", r.Name),
					triton("Resource \"%s\" is present as both global and device-specific resource in the model configuration.", r.Name))
				return
			}
		}
	}
}

// unknownAgents: L20. Others than Triton's own may be installed.
func (c *checker) unknownAgents() {
	for i, a := range c.cfg.GetModelRepositoryAgents().GetAgents() {
		if a.Name != "checksum" && !c.full() && !c.spoiled("model_repository_agents") {
			c.warn("L20", c.span("model_repository_agents", "agents", i, "name"), say("Triton brings no repository agent %q, only checksum", a.Name),
				triton("unable to find 'libtritonrepoagent_%s.so' for repo agent '%s', searched: /opt/tritonserver/repoagents", a.Name, a.Name))
		}
	}
}

// unknownFamilies: MM5.
func (c *checker) unknownFamilies() {
	for i, control := range c.cfg.GetModelMetrics().GetMetricControl() {
		if family := control.GetMetricIdentifier().GetFamily(); family != "" && family != "nv_inference_first_response_histogram_ms" {
			c.warn("MM5", c.span("model_metrics", "metric_control", i, "metric_identifier", "family"),
				say("metric family %q cannot be changed; only nv_inference_first_response_histogram_ms can", family),
				triton("Metric family '%s' in 'metric_identifier' is not a customizable metric in Triton core.", family))
		}
	}
}

// badCapabilities: CC1, keys that name no compute capability.
func (c *checker) badCapabilities() {
	for _, key := range slices.Sorted(maps.Keys(c.cfg.GetCcModelFilenames())) {
		if !capability(key) && !c.full() {
			c.warn("CC1", c.span("cc_model_filenames", key, "key"), say("%q is no compute capability, such as \"8.0\", so that this file is never used", key), "")
		}
	}
}

func capability(key string) bool {
	major, minor, dotted := strings.Cut(key, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return dotted && digits(major) && digits(minor)
}
