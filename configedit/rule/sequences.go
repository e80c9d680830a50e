package rule

var sequences = &Subject{Title: "Sequence batching"}

// The rules about sequence_batching.
var (
	SB1 = sequences.rule(Rule{
		ID: "SB1", Stage: Poll,
		Triton: "Response Cache does not currently support model %s with sequence batching scheduler. Please " +
			"disable the response cache.",
		Title: "a sequence model has the response cache on",
		Means: "The model has sequence_batching, and response_cache is enabled.",
		Why: "The cache answers a request from its inputs alone. In a sequence the answer also depends on the " +
			"requests before it, so the same inputs may need another answer.",
		Fix: "Remove response_cache, or set enable to false.",
	})
	SB2 = sequences.rule(Rule{
		ID: "SB2", Stage: Poll,
		Triton: "sequence batching control tensor must have a name for %s",
		Title:  "a control input has no name",
		Means: "An entry of control_input says which signals it carries, but not which input of the model " +
			"carries them.",
		Why: "Triton writes the signals into an input of the model, and finds that input by its name.",
		Fix: "Add name with the name of the model's input.",
	})
	SB3 = sequences.rule(Rule{
		ID: "SB3", Stage: Poll,
		Triton: "sequence batching control tensor '%s' is specified for multiple control kinds for %s",
		Title:  "two entries of control_input have one name",
		Means:  "Two entries of control_input name the same input of the model.",
		Why:    "Each entry gives the tensor its own type and values, and a tensor has one of each.",
		Fix: "Put both controls into one entry: an entry may hold several. Otherwise, give one of them " +
			"another input.",
	})
	SB4 = sequences.rule(Rule{
		ID: "SB4", Stage: Poll,
		Triton: "sequence batching specifies multiple %s tensors for %s",
		Title:  "a kind of control is given to two inputs",
		Means: "Each kind of control, such as CONTROL_SEQUENCE_START, goes to one input of the model. Here it " +
			"is given twice.",
		Why: "Triton keeps one tensor for each kind of control.",
		Fix: "Keep one of the two, or correct the kind of the other.",
	})
	SB5 = sequences.rule(Rule{
		ID: "SB5", Stage: Poll,
		Triton: "sequence batching must specify either " + falseTrueLists + " for %s for %s",
		Title:  "a control does not say its values for no and yes",
		Means: "The controls START, END and READY are inputs that say yes or no. The config must say which two " +
			"numbers mean no and yes, and of which type they are.",
		Why: "Triton does not know the type that the model expects, so it takes the type from the list that is used.",
		Fix: "Add one list of two values in the type of the model's input, such as fp32_false_true: [ 0, 1 ].",
	})
	SB6 = sequences.rule(Rule{
		ID: "SB6", Stage: Poll,
		Triton: "sequence batching specifies more than one from 'int32_false_true', 'fp32_false_true' and " +
			"'bool_false_true' for %s for %s",
		Title: "a control has values of two types",
		Means: "More than one of int32_false_true, fp32_false_true and bool_false_true is given for one control.",
		Why:   "The list that is used also decides the data type of the input, so there can be only one.",
		Fix:   "Keep the list of the type that the model's input has, and remove the others.",
	})
	SB7 = sequences.rule(falseTrue("SB7", "int32_false_true", "[ 0, 1 ]"))
	SB8 = sequences.rule(falseTrue("SB8", "fp32_false_true", "[ 0, 1 ]"))
	SB9 = sequences.rule(falseTrue("SB9", "bool_false_true", "[ false, true ]"))

	SB10 = sequences.rule(Rule{
		ID: "SB10", Stage: Poll,
		Triton: "sequence batching must not specify either " + falseTrueLists + " for CONTROL_SEQUENCE_CORRID for %s",
		Title:  "the correlation ID has values for no and yes",
		Means: "CONTROL_SEQUENCE_CORRID gives the model the ID of the sequence. It is a number or a text, not a " +
			"yes or no.",
		Why: "The ID is written as it is, so there is nothing to translate.",
		Fix: "Remove the list, and say the type with data_type.",
	})
	SB11 = sequences.rule(Rule{
		ID: "SB11", Stage: Poll,
		Triton: "unexpected data type for control CONTROL_SEQUENCE_CORRID for %s. Allowed data types are " +
			"TYPE_UINT64, TYPE_INT64, TYPE_UINT32, TYPE_INT32 and TYPE_STRING",
		Title: "the correlation ID has no type, or a type that cannot hold it",
		Means: "The input for the correlation ID needs data_type, and it must be an integer of 32 or 64 bits, or " +
			"TYPE_STRING.",
		Why: "Clients choose a correlation ID that is an unsigned number of 64 bits or a text. Other types " +
			"cannot carry it.",
		Fix: "Write the type that the model's input has; TYPE_UINT64 holds every number.",
	})
	SB12 = sequences.rule(Rule{
		ID: "SB12", Stage: Poll,
		Triton: "sequence batching preferred batch size must be positive for %s",
		Title:  "a preferred batch size of the oldest strategy is below 1",
		Means: "preferred_batch_size lists sizes at which Triton stops waiting for more requests. A batch holds " +
			"at least one.",
		Why: "A batch always has at least one request, so a smaller size has no meaning.",
		Fix: "Use sizes from 1 to max_batch_size, or remove the list.",
	})
	SB13 = sequences.rule(Rule{
		ID: "SB13", Stage: Poll,
		Triton: "sequence batching preferred batch size must be <= max batch size for %s",
		Title:  "a preferred batch size of the oldest strategy is above max_batch_size",
		Means:  "No batch is ever larger than max_batch_size, so a larger preferred size can never be reached.",
		Why:    "Triton never builds a larger batch, so it would wait for a size that does not come.",
		Fix:    "Lower the preferred size, or raise max_batch_size if the model can take larger batches.",
	})
	SB14 = sequences.rule(Rule{
		ID: "SB14", Stage: Poll,
		Triton: "sequence batching minimum slot utilization must be in range (0.0, 1.0] for %s",
		Title:  "minimum_slot_utilization is not a share",
		Means: "minimum_slot_utilization says which share of the batch slots must have a request before a batch " +
			"runs without further delay. It is a number from 0 to 1. Triton's sentence excludes 0, but Triton " +
			"takes it.",
		Why: "A share of all slots cannot be negative or more than the whole.",
		Fix: "Write a number from 0 to 1; 0.5 means half of the slots.",
	})
)

const falseTrueLists = "'int32_false_true', 'fp32_false_true' or 'bool_false_true'"

// falseTrue returns the rule about the length of one of the lists of values for no and yes.
func falseTrue(id, field, right string) Rule {
	return Rule{
		ID: id, Stage: Poll,
		Triton: "sequence batching control '" + field + "' must have exactly 2 entries for %s for %s",
		Title:  field + " does not have two values",
		Means:  "The list holds the value for no and then the value for yes. It has exactly two entries.",
		Why:    "Triton takes the first value for no and the second for yes.",
		Fix:    "Write both values, no first: " + field + ": " + right + ".",
	}
}
