package rule

import "conch/configedit/diag"

var advice = &Subject{Title: "Advice"}

// These are about models that work but could work better. Conch reports them only on request.
var (
	ADV1 = advice.rule(Rule{
		ID: "ADV1", Stage: Never, Severity: diag.Advice,
		Title: "batches are allowed, but requests are never joined",
		Means: "max_batch_size alone only lets clients send batches. dynamic_batching joins the requests of " +
			"several clients.",
		Why: "Joining requests makes the first of them wait, so Triton does it only when the config says so.",
		Fix: "Add dynamic_batching { }.",
	})
	ADV2 = advice.rule(Rule{
		ID: "ADV2", Stage: Never, Severity: diag.Advice,
		Title: "preferred_batch_size without a delay",
		Means: "Without max_queue_delay_microseconds Triton never waits. It takes the requests that are waiting, " +
			"and preferred sizes only split them into smaller batches. They help models that are built for " +
			"certain sizes, such as TensorRT profiles.",
		Why: "A delay of 0 is the default: no request waits unless the config asks for it.",
		Fix: "Remove preferred_batch_size, or add a delay.",
	})
	ADV3 = advice.rule(Rule{
		ID: "ADV3", Stage: Never, Severity: diag.Advice,
		Title: "dynamic_batching with nothing to join",
		Means: "max_batch_size is 0 or 1, so every batch is one request.",
		Why:   "A batch of one request gains nothing from a queue in front of it.",
		Fix:   "Raise max_batch_size, or remove dynamic_batching.",
	})
	ADV4 = advice.rule(Rule{
		ID: "ADV4", Stage: Never, Severity: diag.Advice,
		Title: "more copies of the weights than fit in memory",
		Means: "With most backends each instance keeps its own copy of the model's weights. Conch does not know " +
			"how much memory the GPUs have.",
		Why: "Instances run at the same time and do not share what the framework has loaded.",
		Fix: "Lower count.",
	})
	ADV5 = advice.rule(Rule{
		ID: "ADV5", Stage: Never, Severity: diag.Advice,
		Title: "many versions are loaded",
		Means: "version_policy loads all versions, and each takes memory. Clients mostly ask for the newest.",
		Why:   "Old versions stay ready for clients that ask for them by number.",
		Fix:   "Use latest or specific.",
	})
	ADV6 = advice.rule(Rule{
		ID: "ADV6", Stage: Never, Severity: diag.Advice,
		Title: "fewer or more labels than classes",
		Means: "The label file has one label a line, in the order of the output's elements. Elements without a " +
			"line are returned without a label, and lines without an element are never used. Triton takes such a " +
			"file. A line too many at its beginning, such as a heading, gives each element the label of the one before.",
		Why: "A label is found by the number of its line.",
		Fix: "Add or remove lines, or check that it is the right file.",
	})
)
