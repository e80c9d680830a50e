package rule

import "conch/configedit/diag"

var warmup = &Subject{Title: "Warm-up"}

// The rules about model_warmup.
var (
	WU0 = warmup.rule(Rule{
		ID: "WU0", Stage: Never, Severity: diag.Warning,
		Title: "a sample without batch_size",
		Means: "batch_size says how many requests the sample makes. If it is left out it is 0, and Triton silently " +
			"skips the sample.",
		Why: "The field is a plain number in the schema, so a missing one is 0.",
		Fix: "Add batch_size: 1, or the batch size to warm up with.",
	})
	WU1 = warmup.rule(Rule{
		ID: "WU1", Stage: Warmup,
		Triton: "warmup setting expects all variable-size dimensions are specified for input '%s'",
		Title:  "a sample has a dim of -1",
		Means: "Triton makes real data for the sample, so each size must be a number. A sample is one request, " +
			"so its dims have no batch dimension.",
		Why: "The dims are the only place where a sample gives its sizes.",
		Fix: "Replace -1 by a size that requests really have.",
	})
	WU2 = warmup.rule(Rule{
		ID: "WU2", Stage: Warmup,
		Triton: unnamed + "warmup setting expects input '%s' to have input_data_type set",
		Title:  "a sample does not say its data",
		Means:  "An input of a sample gets its values from zero_data, random_data or input_data_file. None is given.",
		Why:    "Triton makes no guess at what values a model can take.",
		Fix:    "Add one of them, such as zero_data: true.",
	})
	WU3 = warmup.rule(Rule{
		ID: "WU3", Stage: Warmup, Status: Internal,
		Triton: noTextFile,
		Title:  "the file of a sample is missing",
		Means:  "input_data_file names a file in the folder warmup of the model. It is not there.",
		Why:    "Without the sample, the first real request would be the slow one.",
		Fix:    "Put the file there, or correct the name.",
	})
	WU4 = warmup.rule(Rule{
		ID: "WU4", Stage: Warmup,
		Triton: unnamed + "warmup setting expects %d bytes, but the data provided from %sonly has %d bytes",
		Title:  "the file of a sample is too short",
		Means: "The dims and the data_type say how many bytes one request takes. The file has fewer. The batch " +
			"size does not count.",
		Why: "Triton refuses a request whose data is shorter than its shape says.",
		Fix: "Correct the dims or the data_type, or write the file again. Bytes beyond the size are ignored.",
	})
	WU5 = warmup.rule(Rule{
		ID: "WU5", Stage: Warmup,
		Triton: unnamed + "%s but got %d inputs for model '%s'. Got input(s) [%s], but missing required input(s) %s]. Please provide all required input(s).",
		Title:  "a sample leaves out inputs",
		Means:  "Triton treats a sample as a request. It must give every input of the model that is not optional.",
		Why:    "A warm-up sample goes through the same checks as a real request.",
		Fix:    "Add the missing inputs to the sample.",
	})
	WU6 = warmup.rule(Rule{
		ID: "WU6", Stage: Warmup,
		Triton: unnamed + "inference input '%s' data-type is '%s', but model '%s' expects '%s'",
		Title:  "a sample gives another data type than the input has",
		Means:  "Triton treats a sample as a request. Its data_type must be the one of the input in the config.",
		Why:    "A warm-up sample goes through the same checks as a real request.",
		Fix:    "Write the data_type that the input has.",
	})
	WU7 = warmup.rule(Rule{
		ID: "WU7", Stage: Warmup,
		Triton: unnamed + "unexpected shape for input '%s' for model '%s'. Expected %s, got %s. %s",
		Title:  "a sample gives another shape than the input has",
		Means: "Triton treats a sample as a request. Its dims must fit the dims of the input, without the batch " +
			"dimension, which Triton adds. They are compared with dims even if the input has a reshape.",
		Why: "A warm-up sample goes through the same checks as a real request.",
		Fix: "Write dims that fit those of the input.",
	})
	WU8 = warmup.rule(Rule{
		ID: "WU8", Stage: Never, Severity: diag.Warning,
		Title: "the file of a sample is outside the model's folder",
		Means: "input_data_file leads out of the model's folder, by .. or by a link. Triton opens such a file. " +
			"`conch serve` does so only with --allow-external-paths, and the workbench does not.",
		Why: "A repository from someone else could otherwise make the server read any file of the machine.",
		Fix: "Copy the file into the model's folder warmup.",
	})
	WU9 = warmup.rule(Rule{
		ID: "WU9", Stage: Warmup,
		Triton: "failed to run warmup sample '%s': batch size %d for '%s_0', max allowed is %d",
		Title:  "a sample of an ONNX or Python model is larger than max_batch_size",
		Means: "batch_size says how many requests run together. The backends onnxruntime and python refuse more than " +
			"max_batch_size of them, and more than one if the model does not batch. Other backends may take them. " +
			"Triton names the instance that runs the sample first.",
		Why: "Triton gives the sample to the backend without comparing it with max_batch_size.",
		Fix: "Lower the batch_size of the sample, or raise max_batch_size.",
	})
)

// unnamed is the beginning of sentences about requests without an ID.
const unnamed = "[request id: <id_unknown>] "
