package rule

import "conch/configedit/diag"

var dynamic = &Subject{Title: "Dynamic batching"}

// The rules about dynamic_batching.
var (
	DB1 = dynamic.rule(Rule{
		ID: "DB1", Stage: Poll,
		Triton: "dynamic batching preferred size must be positive for %s",
		Title:  "a preferred batch size is below 1",
		Means: "preferred_batch_size lists sizes at which Triton stops waiting for more requests. A batch holds " +
			"at least one.",
		Why: "A batch always has at least one request, so a smaller size has no meaning.",
		Fix: "Use sizes from 1 to max_batch_size, or remove the list.",
	})
	DB2 = dynamic.rule(Rule{
		ID: "DB2", Stage: Poll,
		Triton: "dynamic batching preferred size must be <= max batch size for %s",
		Title:  "a preferred batch size is above max_batch_size",
		Means: "No batch is ever larger than max_batch_size, so a larger preferred size can never be reached. With " +
			"max_batch_size 0 every preferred size is too large.",
		Why: "Triton never builds a larger batch, so it would wait for a size that does not come.",
		Fix: "Lower the preferred size, or raise max_batch_size if the model can take larger batches.",
	})
	DB3 = dynamic.rule(Rule{
		ID: "DB3", Stage: Poll,
		Triton: "default priority level must be in range [1, %d] for %s",
		Title:  "default_priority_level is not one of the levels",
		Means: "priority_levels switches priorities on, with levels from 1 (the highest) to that number. " +
			"default_priority_level must be one of them, and its default of 0 is not.",
		Why: "A request that names no priority gets the default level.",
		Fix: "Set default_priority_level to a number from 1 to priority_levels.",
	})
	DB4 = dynamic.rule(Rule{
		ID: "DB4", Stage: Poll,
		Triton: "priority queue policy must have priority level in range [1, %d] for %s",
		Title:  "a queue policy is for a level that does not exist",
		Means:  "The keys of priority_queue_policy are priority levels, from 1 to priority_levels.",
		Why:    "A policy for a level that no request can have would have no effect.",
		Fix:    "Correct the key, or raise priority_levels.",
	})
	DB5 = dynamic.rule(Rule{
		ID: "DB5", Stage: Poll,
		Triton: "Only one priority level is allowed when 'preserve_ordering' is true for %s",
		Title:  "preserve_ordering together with priorities",
		Means: "preserve_ordering makes Triton answer in the order of the requests. Priorities let requests " +
			"overtake others.",
		Why: "With several levels, a request of a higher level is answered first.",
		Fix: "Remove preserve_ordering, or set priority_levels to 1 or leave it out.",
	})
	DB6 = dynamic.rule(orderingDelay("DB6", "default_queue_policy"))
	DB7 = dynamic.rule(orderingDelay("DB7", "a policy in priority_queue_policy"))

	IGN1 = dynamic.rule(Rule{
		ID: "IGN1", Stage: Never, Severity: diag.Warning,
		Title: "a setting for priorities without priorities",
		Means: "priority_levels is not given, so the model has no priorities. Then Triton does not read " +
			"default_priority_level and priority_queue_policy.",
		Why: "Without priorities all requests wait in one queue, and default_queue_policy applies to it.",
		Fix: "Add priority_levels, or remove the setting.",
	})
)

// orderingDelay returns the rule about a queue policy that delays requests although their order must not change.
func orderingDelay(id, where string) Rule {
	return Rule{
		ID: id, Stage: Poll,
		Triton: "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for %s",
		Title:  "preserve_ordering together with DELAY in " + where,
		Means: "preserve_ordering makes Triton answer in the order of the requests. DELAY moves a request that " +
			"waited too long behind the others.",
		Why: "A request that is delayed cannot keep its place in the order.",
		Fix: "Replace DELAY by REJECT, or remove preserve_ordering.",
	}
}
