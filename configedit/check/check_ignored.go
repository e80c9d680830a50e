package check

import (
	"maps"
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// checkIgnored: what Triton takes and then does not do, or does only in its log. IGN1, L16, L20, L21, MM5, CC1 and ST10 to ST12.
func (c *checker) checkIgnored() {
	c.ignoredPriorities()
	c.ignoredStrategy()
	c.ignoredStates()
	c.mixedResources()
	c.unknownAgents()
	c.unknownFamilies()
	c.badCapabilities()
}

func (c *checker) warn(code string, span diag.Span, message, sentence string) {
	c.add(stageNever, diag.Diagnostic{Severity: diag.Warning, Code: code, Span: span, Message: message, Triton: sentence})
}

// ignoredPriorities: IGN1.
func (c *checker) ignoredPriorities() {
	batching := c.cfg.GetDynamicBatching()
	if batching.GetPriorityLevels() != 0 || c.spoiled("dynamic_batching") {
		return
	}
	if len(batching.GetPriorityQueuePolicy()) > 0 {
		c.warn("IGN1", c.name("dynamic_batching", "priority_queue_policy"), "without priority_levels there are no priorities, and priority_queue_policy does nothing", "")
	}
	if batching.GetDefaultPriorityLevel() != 0 {
		c.warn("IGN1", c.name("dynamic_batching", "default_priority_level"), "without priority_levels there are no priorities, and default_priority_level does nothing", "")
	}
}

// ignoredStrategy: L16.
func (c *checker) ignoredStrategy() {
	if _, given := c.cfg.GetParameters()[batchStrategy.Key]; given && c.cfg.GetSequenceBatching() != nil {
		c.warn("L16", c.span("parameters", batchStrategy.Key, "key"), "sequences are not joined by a library of one's own; it is not used",
			"TRITON_BATCH_STRATEGY_PATH cannot be specified with sequence batcher, using default batching strategy")
	}
}

// ignoredStates: ST10 and ST11, which show only when a request comes, and states given twice (ST12).
func (c *checker) ignoredStates() {
	first := map[string]int{}
	for i, s := range c.cfg.GetSequenceBatching().GetState() {
		path := func(rest ...any) []any { return append([]any{"sequence_batching", "state", i}, rest...) }
		if before, twice := first[s.InputName]; twice && s.InputName != "" && !c.spoiled(path()...) {
			c.add(stageNever, diag.Diagnostic{
				Severity: diag.Warning, Code: "ST12", Span: c.span(path("input_name")...), Message: say("state %q is given twice; the later one is not used", s.InputName),
				Related: []diag.Related{{Span: c.span("sequence_batching", "state", before, "input_name"), Message: "given here first"}},
			})
		} else if !twice {
			first[s.InputName] = i
		}
		switch {
		case !s.UseGrowableMemory:
		case !s.UseSameBufferForInputOutput:
			c.warn("ST10", c.span(path("use_growable_memory")...), "use_growable_memory needs use_same_buffer_for_input_output; requests will fail",
				triton("In order to 'use_growable_memory', you must also enable 'use_single_buffer' for state input name '%s'.", s.InputName))
		case c.onlyCPU():
			c.warn("ST11", c.span(path("use_growable_memory")...), "use_growable_memory works on GPUs only; requests will fail",
				triton("'use_growable_memory' can only work with KIND_GPU model instances right now. Please either change the instance type to "+
					"KIND_GPU or set 'use_growable_memory' to false for state input '%s'.", s.InputName))
		}
	}
}

// onlyCPU tells whether the text itself puts every group on the CPU.
func (c *checker) onlyCPU() bool {
	if c.m.Decoded == nil || len(c.m.Decoded.Config.GetInstanceGroup()) == 0 {
		return false
	}
	return !slices.ContainsFunc(c.m.Decoded.Config.GetInstanceGroup(), func(g *modelconfig.ModelInstanceGroup) bool {
		return g.Kind != modelconfig.ModelInstanceGroup_KIND_CPU
	})
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
