package check

import (
	"maps"
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// dynamicBatching checks dynamic_batching: DB1 to DB7, and IGN1.
type dynamicBatching struct {
	*checker
	batching *modelconfig.ModelDynamicBatching
}

func checkDynamicBatching(c *checker) {
	batching := c.cfg.GetDynamicBatching()
	if batching == nil {
		return
	}
	d := dynamicBatching{c, batching}
	c.preferred(preferredRules{
		path: []any{"dynamic_batching", "preferred_batch_size"}, positive: rule.DB1, bounded: rule.DB2,
	}, batching.PreferredBatchSize)
	if batching.PriorityLevels == 0 {
		d.noPriorities()
	} else {
		d.defaultLevel()
		d.policies()
	}
	if batching.PreserveOrdering {
		d.ordering()
	}
}

// preferredRules are the rules about one list of preferred batch sizes.
type preferredRules struct {
	path              []any
	positive, bounded *rule.Rule
}

// preferred reports sizes that no batch can have. If the model takes no batches, that is one mistake for all sizes.
func (c *checker) preferred(r preferredRules, sizes []int32) {
	limit := c.cfg.GetMaxBatchSize()
	said := c.unread(nil, "max_batch_size") // about the limit, or nothing can be said
	for i, size := range sizes {
		if c.full() {
			return
		}
		f := finding{span: c.span(append(slices.Clone(r.path), i)...), args: values(c.cfg.GetName())}
		switch {
		case size <= 0:
			f.rule, f.message = r.positive, say("a preferred batch size of %d makes no sense; it must be at least 1", size)
		case said:
			continue
		case limit == 0 && !c.has("max_batch_size"):
			said = true
			f.rule, f.message = r.bounded, "preferred batch sizes need max_batch_size, which is not given"
		case size > limit && limit >= 0:
			said = limit == 0
			f.rule, f.message = r.bounded, say("preferred batch size %d is larger than max_batch_size, which is %d", size, limit)
			f.fixes = c.smaller(r.path, sizes, i)
			if c.has("max_batch_size") {
				f.related = []diag.Related{{Span: c.span("max_batch_size"), Message: "max_batch_size is given here"}}
			}
		default:
			continue
		}
		c.report(f)
	}
}

// smaller lowers a preferred size to the largest allowed size, or removes it if that size is already in the list. No size is
// allowed where the model takes no batches.
func (c *checker) smaller(path []any, sizes []int32, i int) []diag.Fix {
	limit := c.cfg.GetMaxBatchSize()
	if limit == 0 {
		if len(c.setDims(nil, path...)) == 0 {
			return nil // the text has the sizes in several places
		}
		return c.remove("remove preferred_batch_size", path...)
	}
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

// defaultLevel: DB3.
func (d dynamicBatching) defaultLevel() {
	levels, level := d.batching.PriorityLevels, d.batching.DefaultPriorityLevel
	if level != 0 && level <= levels || d.spoiled("dynamic_batching") {
		return
	}
	f := finding{rule: rule.DB3, args: values(levels, d.cfg.GetName())}
	if d.has("dynamic_batching", "default_priority_level") {
		f.span = d.span("dynamic_batching", "default_priority_level")
		f.message = say("default_priority_level is %d; with %d priority_levels it must be from 1 to %d", level, levels, levels)
		f.fixes = replace(say("replace %d by 1", level), f.span, "1")
	} else {
		f.span = d.span("dynamic_batching", "priority_levels")
		f.message = say("priority_levels is %d, and default_priority_level is missing, the level of requests that do not give one", levels)
		f.fixes = d.insert("default_priority_level: 1", "dynamic_batching")
	}
	d.report(f)
}

// levels are the priority levels that have a policy.
func (d dynamicBatching) levels() []uint64 {
	return slices.Sorted(maps.Keys(d.batching.PriorityQueuePolicy))
}

// policies: DB4.
func (d dynamicBatching) policies() {
	levels := d.batching.PriorityLevels
	for _, level := range d.levels() {
		if level >= 1 && level <= levels {
			continue
		}
		d.report(finding{
			rule: rule.DB4, span: d.span("dynamic_batching", "priority_queue_policy", say("%d", level), "key"),
			args:    values(levels, d.cfg.GetName()),
			message: say("there is no priority level %d; priority_levels is %d", level, levels),
		})
	}
}

// noPriorities: IGN1.
func (d dynamicBatching) noPriorities() {
	if d.spoiled("dynamic_batching") {
		return
	}
	ignored := func(field string) {
		d.report(finding{
			rule: rule.IGN1, span: d.name("dynamic_batching", field),
			message: say("without priority_levels there are no priorities, and %s does nothing", field),
		})
	}
	if len(d.batching.PriorityQueuePolicy) > 0 {
		ignored("priority_queue_policy")
	}
	if d.batching.DefaultPriorityLevel != 0 {
		ignored("default_priority_level")
	}
}

// ordering: settings that preserve_ordering excludes, DB5 to DB7.
func (d dynamicBatching) ordering() {
	related := []diag.Related{{Span: d.span("dynamic_batching", "preserve_ordering"), Message: "preserve_ordering is set here"}}
	if d.batching.PriorityLevels > 1 {
		d.report(finding{
			rule: rule.DB5, span: d.span("dynamic_batching", "priority_levels"), args: values(d.cfg.GetName()),
			message: say("%d priority levels would change the order of requests, which preserve_ordering forbids", d.batching.PriorityLevels),
			related: related,
		})
	}
	delays := func(r *rule.Rule, policy *modelconfig.ModelQueuePolicy, path ...any) {
		if policy.GetDefaultTimeoutMicroseconds() == 0 || policy.GetTimeoutAction() != modelconfig.ModelQueuePolicy_DELAY {
			return
		}
		span := d.span(append(path, "timeout_action")...)
		d.report(finding{
			rule: r, span: span, related: related, args: values(d.cfg.GetName()),
			message: "DELAY moves a request behind others when it waits too long, which preserve_ordering forbids",
			fixes:   replace("replace DELAY by REJECT", span, "REJECT"),
		})
	}
	delays(rule.DB6, d.batching.DefaultQueuePolicy, "dynamic_batching", "default_queue_policy")
	for _, level := range d.levels() {
		delays(rule.DB7, d.batching.PriorityQueuePolicy[level], "dynamic_batching", "priority_queue_policy", say("%d", level))
	}
}
