package rule

import (
	"conch/configedit/backends"
	"conch/configedit/diag"
)

var parameters = &Subject{Title: "Parameters and accelerators"}

// The rules about parameters, and about execution accelerators.
var (
	PAR1 = parameters.rule(Rule{
		ID: "PAR1", Stage: Never, Severity: diag.Warning,
		Title: "a parameter that the backend does not read",
		Means: "Triton hands all parameters to the backend, which ignores those that it does not know. Upper and " +
			"lower case matter. A Python model may read any key itself, so there Conch reports only keys that " +
			"look misspelt.",
		Why: "Parameters are a free list of texts, so that backends can have settings that Triton does not know.",
		Fix: "Correct the key, or remove the parameter.",
	})
	PAR2 = parameters.rule(Rule{
		ID: "PAR2", Stage: Never, Severity: diag.Warning,
		Title: "a parameter with a value that the backend does not know",
		Means: "The backend reads the parameter and knows only certain values of it. Conch does not know what the " +
			"backend does with other values.",
		Why: "Values of parameters are texts, and only the backend understands them.",
		Fix: "Write one of the values that the message lists.",
	})
	L16 = parameters.rule(Rule{
		ID: "L16", Stage: Never, Severity: diag.Warning,
		Triton: "TRITON_BATCH_STRATEGY_PATH cannot be specified with sequence batcher, using default batching strategy",
		Title:  "a library for batching in a sequence model",
		Means: "TRITON_BATCH_STRATEGY_PATH names a library that decides which requests are joined. Triton does " +
			"not use it where sequence_batching is on, and says so in its log.",
		Why: "A sequence has its own rule of which requests may run together.",
		Fix: "Remove the parameter.",
	})
	TRT1 = parameters.rule(Rule{
		ID: "TRT1", Stage: Instance,
		Triton: "Invalid value for '%s': '%s' for model instance '%s_0'.",
		Title:  "an allocation strategy that TensorRT does not have",
		Means: "execution_context_allocation_strategy says when TensorRT takes the memory of a context: STATIC " +
			"or ON_PROFILE_CHANGE.",
		Why: "The backend hands the choice to TensorRT, which has these two.",
		Fix: "Write one of the two, in capitals.",
	})
	ACC1 = parameters.rule(Rule{
		ID: "ACC1", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unknown Execution Accelerator '%s' is requested",
		Title:  "an accelerator for GPUs that the backend does not have",
		Means: "Each backend knows its own accelerators. An instance on a GPU refuses another name. An instance " +
			"on the CPU never looks at gpu_execution_accelerator. So it is an error where an instance runs on a GPU: in a " +
			"group of KIND_GPU, or, without a kind, where --gpus gives the machine some. It is a warning elsewhere.",
		Why: "Accelerators are a part of the framework that a backend brings.",
		Fix: "Correct the name, or remove the accelerator.",
	})
	ACC2 = parameters.rule(Rule{
		ID: "ACC2", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unknown parameter '%s' is provided for TensorRT Execution Accelerator",
		Title:  "a parameter that the tensorrt accelerator does not know",
		Means: "An instance on a GPU refuses parameters that the accelerator does not know. An instance on the " +
			"CPU never looks at them. It is an error where ACC1 would be one.",
		Why: "If the backend ignored a setting, the model could be slower and nobody would know why.",
		Fix: "Correct the key, or remove the parameter.",
	})
	ACC3 = parameters.rule(Rule{
		ID: "ACC3", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "failed to convert '%s' to unsigned long long integral number",
		Title:  "a value that the tensorrt accelerator does not take",
		Means: "precision_mode is FP32, FP16, BF16 or INT8, max_workspace_size_bytes is a number, and other parameters " +
			"are numbers or booleans. An instance on the CPU never looks at them. It is an error where ACC1 would be one.",
		Why: "The backend turns the texts into options of TensorRT.",
		Fix: "Correct the value.",
	})
)

var python = &Subject{Title: "Python models"}

// The rules about models of the backend python.
var (
	L14 = python.rule(Rule{
		ID: "L14", Stage: Instance, Status: Internal,
		Triton: "Failed to get the canonical path for %s.",
		Title:  "a Python environment that does not exist",
		Means: "EXECUTION_ENV_PATH names a packed or unpacked conda environment that the model runs in. A path " +
			"that begins with $$TRITON_MODEL_DIRECTORY is in the model's folder. There is no such file.",
		Why: "The backend unpacks the environment before it starts the model's process.",
		Fix: "Put the environment there, or correct the path.",
	})
	L25 = python.rule(Rule{
		ID: "L25", Stage: Instance, Status: Internal,
		Triton: "Failed to preinitialize Python stub: Python model file not found in '%s'",
		Title:  "a Python model without its program",
		Means:  "The backend python runs " + backends.PythonProgram.File + ", or what default_model_filename names, in the version folder. That file does not exist.",
		Why: "Triton 24.10 does not just report the error: this load never ends, and neither does any later load " +
			"of the model.",
		Fix: "Put the program into every version folder that is served. Conch offers to write a first one, which answers " +
			"with its inputs or with zeros.",
	})
	PY1 = python.rule(Rule{
		ID: "PY1", Stage: Instance, Status: Internal,
		Triton: "AttributeError: module '%d.model' has no attribute 'TritonPythonModel'",
		Also:   []string{"%s: …"}, // the exception that the program raises before its end
		Title:  "a program without the class TritonPythonModel",
		Means: "The backend creates an object of the class TritonPythonModel for each instance. The program does " +
			"not define or import it. A class inside a function or another class does not count. Where only " +
			"running the program can show that, this is a warning.",
		Why: "The class is all that the backend knows of the program.",
		Fix: "Define class TritonPythonModel with a method execute.",
	})
	PY2 = python.rule(Rule{
		ID: "PY2", Stage: Instance, Status: Unsupported,
		Triton: "Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS: %s'",
		Title:  "FORCE_CPU_ONLY_INPUT_TENSORS is neither yes nor no",
		Means: "The parameter says if inputs are copied to the CPU before the model gets them. It is yes or " +
			"no, in lower case.",
		Why: "The backend compares the text with these two words.",
		Fix: "Write yes or no.",
	})
	PY3 = python.rule(Rule{
		ID: "PY3", Stage: Instance, Status: Internal,
		Triton: "%s: %s",
		Also:   []string{"SyntaxError"}, // the releases of Python have different words for the rest
		Title:  "a program that Python cannot read",
		Means: "Python refuses the file before it runs any of it: a bracket or a string is not closed, a colon before a block is missing, the indentation is wrong, or a word or sign is where none can be. " +
			"Conch looks for the common ones of these mistakes. Others show when the model is loaded.",
		Why: "The program is read when the model is loaded.",
		Fix: "Correct the line. A bracket or quote that is missing is often in a line before it.",
	})
	PY4 = python.rule(Rule{
		ID: "PY4", Stage: Never, Severity: diag.Warning,
		Title: "inputs or outputs that only a run of the program tells",
		Means: "The config lists no inputs or no outputs, and auto_complete_config of the program adds them when the model is loaded. " +
			"The program has not run on this machine with this config and these files, so Conch does not know what it answers: it may also fail, " +
			"and ensembles may use tensors that are not there.",
		Why: "conch check and the editor run no programs.",
		Fix: "Load the model once, in the window or with conch serve: what it answered is kept, and checked from then on. Or list the inputs and " +
			"outputs in the config.",
	})
)
