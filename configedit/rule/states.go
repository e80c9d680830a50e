package rule

import "conch/configedit/diag"

var states = &Subject{Title: "States of sequences"}

// The rules about sequence_batching.state.
var (
	ST1 = states.rule(Rule{
		ID: "ST1", Stage: Scheduler,
		Triton: "initial_state field for state input '%s' must contain exactly one or zero element. Found '%d' " +
			"elements.",
		Title: "a state has several initial states",
		Means: "initial_state says what a state holds at the start of a sequence. The field can repeat, but a " +
			"state takes one.",
		Why: "A sequence begins once, with one value.",
		Fix: "Keep one initial_state in the state.",
	})
	ST2 = states.rule(Rule{
		ID: "ST2", Stage: Scheduler,
		Triton: "The data type used for 'initial_state' field of state '%s' does not match the state data type.",
		Title:  "the initial state has another type than the state",
		Means: "The first request of a sequence reads the initial state in place of the state, so both need one " +
			"data_type.",
		Why: "The model gets the bytes of the initial state as they are.",
		Fix: "Write the data_type of the state into initial_state too.",
	})
	ST3 = states.rule(Rule{
		ID: "ST3", Stage: Scheduler,
		Triton: "Field 'name' must be set when using initial_state for state input '%s'.",
		Title:  "an initial state has no name",
		Means:  "Every initial_state needs a name. It is not a tensor of the model; messages use it.",
		Why:    "Triton uses the name in its messages to tell initial states apart.",
		Fix:    "Add any name to initial_state.",
	})
	ST4 = states.rule(Rule{
		ID: "ST4", Stage: Scheduler,
		Triton: "Number of dimensions in 'initial_state' doesn't match the size of 'state' dimensions for state " +
			"input '%s'. %d != %d",
		Title: "the initial state has another number of dims than the state",
		Means: "The first request of a sequence reads the initial state in place of the state, so both need the " +
			"same number of dims.",
		Why: "The model gets the initial state in place of the state.",
		Fix: "Write as many dims as the state has.",
	})
	ST5 = states.rule(Rule{
		ID: "ST5", Stage: Scheduler,
		Triton: "'initial_state' dim for input name '%s' doesn't match 'state' dim description. %d != %d",
		Title:  "a dim of the initial state differs from the state's",
		Means: "Where the state has a fixed size, the initial state must have the same. Where it has -1, any " +
			"size is right.",
		Why: "The model gets the initial state in place of the state.",
		Fix: "Write the size that the state has.",
	})
	ST6 = states.rule(Rule{
		ID: "ST6", Stage: Scheduler,
		Triton: "'initial_state' field for state input name '%s' contains variable dimensions.",
		Title:  "the initial state has a dim of -1",
		Means:  "The initial state is real data, which Triton allocates once. So each of its sizes must be a number.",
		Why:    "The size of the memory must be known before there is a request.",
		Fix:    "Replace -1 by the size that the state has at the start of a sequence, often 1.",
	})
	ST7 = states.rule(Rule{
		ID: "ST7", Stage: Scheduler,
		Triton: "initial_state setting expects state'%s' to have state_data set",
		Title:  "an initial state does not say its data",
		Means:  "An initial state gets its values from zero_data or from data_file. Neither is given.",
		Why:    "Memory that nobody has written to could hold anything.",
		Fix:    "Add zero_data: true, or data_file with a file in the model's folder initial_state.",
	})
	ST8 = states.rule(Rule{
		ID: "ST8", Stage: Scheduler, Status: Internal,
		Triton: noTextFile,
		Title:  "the file of an initial state is missing",
		Means:  "data_file names a file in the folder initial_state of the model. It is not there.",
		Why:    "The data is read when the model is loaded, so that the first request of a sequence does not wait for a disk.",
		Fix:    "Put the file there, or correct the name.",
	})
	ST9 = states.rule(Rule{
		ID: "ST9", Stage: Scheduler,
		Triton: "initial_state setting expects %d bytes, but the data provided from %sonly has %d bytes.",
		Title:  "the file of an initial state is too short",
		Means:  "The dims and the data_type say how many bytes the initial state takes. The file has fewer.",
		Why:    "The rest of the state would hold anything.",
		Fix:    "Correct the dims or the data_type, or write the file again. Bytes beyond the size are ignored.",
	})
	ST10 = states.rule(Rule{
		ID: "ST10", Stage: Never, Severity: diag.Warning,
		Triton: "In order to 'use_growable_memory', you must also enable 'use_single_buffer' for state input " +
			"name '%s'.",
		Title: "use_growable_memory without one buffer for input and output",
		Means: "A state that grows in place needs the same buffer for its input and output. Triton loads the model " +
			"and writes its sentence to the log at the first request. Then requests fail. Triton's sentence " +
			"uses another name for the field than configs do.",
		Why: "New values are written after the old ones in the same memory, so the new state must be where the " +
			"old one is.",
		Fix: "Add use_same_buffer_for_input_output: true, or remove use_growable_memory.",
	})
	ST11 = states.rule(Rule{
		ID: "ST11", Stage: Never, Severity: diag.Warning,
		Triton: "'use_growable_memory' can only work with KIND_GPU model instances right now. Please either " +
			"change the instance type to KIND_GPU or set 'use_growable_memory' to false for state input '%s'.",
		Title: "use_growable_memory on the CPU",
		Means: "Triton loads the model, but requests fail: states that grow in place exist on GPUs only.",
		Why:   "Growable memory is made with CUDA's virtual memory.",
		Fix:   "Remove use_growable_memory, or run the model in an instance group of KIND_GPU.",
	})
	ST12 = states.rule(Rule{
		ID: "ST12", Stage: Never, Severity: diag.Warning,
		Title: "a state is given twice",
		Means: "Two states have one input_name. Triton uses the first and writes a warning to its log.",
		Why:   "States are kept by the name of their input.",
		Fix:   "Remove one of them, or correct its input_name.",
	})
	ST13 = states.rule(Rule{
		ID: "ST13", Stage: Never, Severity: diag.Warning,
		Title: "the file of an initial state is outside the model's folder",
		Means: "data_file leads out of the model's folder, by .. or by a link. Triton opens such a file. `conch " +
			"serve` does so only with --allow-external-paths, and the workbench does not.",
		Why: "A repository from someone else could otherwise make the server read any file of the machine.",
		Fix: "Copy the file into the model's folder initial_state.",
	})
	ST14 = states.rule(Rule{
		ID: "ST14", Stage: Scheduler,
		Triton: "State input name '%s' specified more than once.",
		Title:  "two states of one input with initial states",
		Means: "Two states have one input_name, and both have an initial_state. Without the second initial_state " +
			"Triton takes the model and uses the first state.",
		Why: "Initial states are kept by the name of the input.",
		Fix: "Remove one of the states, or correct its input_name.",
	})
	ST15 = states.rule(Rule{
		ID: "ST15", Stage: Never, Severity: diag.Warning,
		Title: "a state under a backend that keeps none",
		Means: "Triton gives the model the state's input, but this backend never stores what the model answers. So each " +
			"request of a sequence reads what the first one reads.",
		Why: "ONNX Runtime, TensorRT and PyTorch keep states; Python, TensorFlow and OpenVINO do not.",
		Fix: "Let a Python model keep what it needs in itself, by the correlation id of its requests. Remove the state.",
	})
)

// noTextFile is what Triton says of a file that it cannot open.
const noTextFile = "failed to open text file for read %s: No such file or directory"
