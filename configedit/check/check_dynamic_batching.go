package check

import (
	"maps"
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
)

// checkDynamicBatching: DB1 to DB7.
func (c *checker) checkDynamicBatching() {
	batching := c.cfg.GetDynamicBatching()
	if batching == nil {
		return
	}
	c.preferred(preferredRules{
		path: []any{"dynamic_batching", "preferred_batch_size"}, positive: "DB1", bounded: "DB2",
		sentence: "dynamic batching preferred size must be",
	}, batching.PreferredBatchSize)
	c.priorities(batching)
	if batching.PreserveOrdering {
		c.ordering(batching)
	}
}

// preferredRules are the rules about one list of preferred batch sizes.
type preferredRules struct {
	path              []any
	positive, bounded string
	sentence          string
}

func (c *checker) preferred(r preferredRules, sizes []int32) {
	limit := c.cfg.GetMaxBatchSize()
	for i, size := range sizes {
		if c.full() {
			return
		}
		span := c.span(append(slices.Clone(r.path), i)...)
		switch {
		case size <= 0:
			c.add(stagePoll, diag.Diagnostic{
				Code: r.positive, Span: span,
				Message: say("a preferred batch size of %d makes no sense; it must be at least 1", size),
				Triton:  triton("%s positive for %s", r.sentence, c.cfg.GetName()),
			})
		case size > limit && limit >= 0:
			d := diag.Diagnostic{
				Code: r.bounded, Span: span,
				Message: say("preferred batch size %d is larger than max_batch_size, which is %d", size, limit),
				Triton:  triton("%s <= max batch size for %s", r.sentence, c.cfg.GetName()),
			}
			if limit > 0 {
				d.Fixes = c.smaller(r.path, sizes, i)
			}
			if c.has("max_batch_size") {
				d.Related = []diag.Related{{Span: c.span("max_batch_size"), Message: "max_batch_size is given here"}}
			}
			c.add(stagePoll, d)
		}
	}
}

// smaller makes a preferred size as large as is allowed, or takes it away where that one is preferred already.
func (c *checker) smaller(path []any, sizes []int32, i int) []diag.Fix {
	limit := c.cfg.GetMaxBatchSize()
	if !slices.Contains(sizes, limit) {
		return replace(say("replace %d by %d", sizes[i], limit), c.span(append(slices.Clone(path), i)...), say("%d", limit))
	}
	var rest []int64
	for j, size := range sizes {
		if j != i {
			rest = append(rest, int64(size))
		}
	}
	return c.setDims(rest, path...)
}

func (c *checker) priorities(batching *modelconfig.ModelDynamicBatching) {
	levels := batching.PriorityLevels
	if levels == 0 {
		return
	}
	if level := batching.DefaultPriorityLevel; level == 0 || level > levels {
		d := diag.Diagnostic{
			Code: "DB3", Span: c.span("dynamic_batching", "default_priority_level"),
			Message: say("default_priority_level is %d; with %d priority_levels it must be from 1 to %d", level, levels, levels),
			Triton:  triton("default priority level must be in range [1, %d] for %s", levels, c.cfg.GetName()),
		}
		if c.has("dynamic_batching", "default_priority_level") {
			d.Fixes = replace(say("replace %d by 1", level), d.Span, "1")
		} else {
			d.Message = say("priority_levels is %d, and default_priority_level is missing: which level has a request that names none?", levels)
			d.Span = c.span("dynamic_batching", "priority_levels")
			d.Fixes = c.insert("default_priority_level: 1", "dynamic_batching")
		}
		if !c.spoiled("dynamic_batching") {
			c.add(stagePoll, d)
		}
	}
	for _, level := range slices.Sorted(maps.Keys(batching.PriorityQueuePolicy)) {
		if level >= 1 && level <= levels {
			continue
		}
		c.add(stagePoll, diag.Diagnostic{
			Code: "DB4", Span: c.span("dynamic_batching", "priority_queue_policy", say("%d", level), "key"),
			Message: say("there is no priority level %d; priority_levels is %d", level, levels),
			Triton:  triton("priority queue policy must have priority level in range [1, %d] for %s", levels, c.cfg.GetName()),
		})
	}
}

// ordering: what preserve_ordering excludes, DB5 to DB7.
func (c *checker) ordering(batching *modelconfig.ModelDynamicBatching) {
	ordering := []diag.Related{{Span: c.span("dynamic_batching", "preserve_ordering"), Message: "the order is to be kept here"}}
	if batching.PriorityLevels > 1 {
		c.add(stagePoll, diag.Diagnostic{
			Code: "DB5", Span: c.span("dynamic_batching", "priority_levels"), Related: ordering,
			Message: say("%d priority levels would change the order of requests, which preserve_ordering forbids", batching.PriorityLevels),
			Triton:  triton("Only one priority level is allowed when 'preserve_ordering' is true for %s", c.cfg.GetName()),
		})
	}
	delays := func(code string, policy *modelconfig.ModelQueuePolicy, path ...any) {
		if policy.GetDefaultTimeoutMicroseconds() == 0 || policy.GetTimeoutAction() != modelconfig.ModelQueuePolicy_DELAY {
			return
		}
		span := c.span(append(path, "timeout_action")...)
		c.add(stagePoll, diag.Diagnostic{
			Code: code, Span: span, Related: ordering,
			Message: "DELAY moves a request behind others when it waits too long, which preserve_ordering forbids",
			Triton:  triton("Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for %s", c.cfg.GetName()),
			Fixes:   replace("replace DELAY by REJECT", span, "REJECT"),
		})
	}
	delays("DB6", batching.DefaultQueuePolicy, "dynamic_batching", "default_queue_policy")
	for _, level := range slices.Sorted(maps.Keys(batching.PriorityQueuePolicy)) {
		delays("DB7", batching.PriorityQueuePolicy[level], "dynamic_batching", "priority_queue_policy", say("%d", level))
	}
}
