package rule

import (
	"conch/configedit/backends"
	"conch/configedit/diag"
)

var tensorflow = &Subject{Title: "TensorFlow saved models"}

// The rules that compare a config with a saved model. They are warnings: the backend is retired, and no Triton that
// Conch was compared with has it.
var (
	TF0 = tensorflow.rule(Rule{
		ID: "TF0", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Title: "a saved_model.pb that cannot be read",
		Means: "The file exists, but it is damaged, cut off, or of another kind.",
		Why:   "TensorFlow reads the graph from this file.",
		Fix:   "Download or export the model again.",
	})
	TF1 = tensorflow.rule(Rule{
		ID: "TF1", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: unableToLoad + "expected '%s' signature",
		Title:  "a graph or signature that the saved model does not have",
		Means: "A saved model holds graphs by their tags, and signatures by their names. Triton serves the graph " +
			"with the tag serve and the signature serving_default, or those that TF_GRAPH_TAG and " +
			"TF_SIGNATURE_DEF name.",
		Why: "A saved model can hold several graphs, for training and for serving.",
		Fix: "Name one that the message lists, or export the model with the usual one.",
	})
	TF2 = tensorflow.rule(Rule{
		ID: "TF2", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unable to process %s '%s' for '%s', unsupported datatype '%s'",
		Title:  "a tensor of a type that cannot be served",
		Means:  "The signature has an input or output of a TensorFlow type that Triton has no name for.",
		Why:    "Triton's protocol has no such type.",
		Fix:    "Convert the tensor to a usual type in the model, and export the model again.",
	})
	TF3 = tensorflow.rule(Rule{
		ID: "TF3", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: unableToLoad + "configuration expects %d inputs, model provides %d",
		Title:  "the config does not have as many inputs as the signature",
		Means:  "The config must list every input of the signature.",
		Why:    "TensorFlow runs a signature only when all its inputs are given.",
		Fix:    "Add the missing inputs, or remove those that the signature does not have.",
	})
	TF4 = tensorflow.rule(Rule{
		ID: "TF4", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unexpected inference %s '%s', allowed %ss are: %s",
		Title:  "an input or output that the signature does not have",
		Means:  "The names in the config are the keys of the signature, not the names of tensors in the graph.",
		Why:    "TensorFlow finds the tensors of a signature by its keys.",
		Fix:    "Use one of the names that the message lists.",
	})
	TF5 = tensorflow.rule(Rule{
		ID: "TF5", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: unableToLoad + "configuration expects datatype %s for %s '%s', model provides TYPE_%s",
		Title:  "a data type that differs from the signature's",
		Means:  "The data_type in the config must be the one of the tensor in the signature.",
		Why:    "The backend hands the bytes of a request to TensorFlow as they are.",
		Fix:    "Write the type of the signature.",
	})
	TF6 = tensorflow.rule(Rule{
		ID: "TF6", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "model '%s', tensor '%s': the model expects %d dimensions (shape %s) but the model configuration " +
			"specifies %d dimensions (%s)",
		Also: []string{
			unableToLoad + "configuration expects model provides input with shape [-1]  for ragged input '%s', model provides %s",
		},
		Title: "dims that do not fit the signature",
		Means: "With max_batch_size above 0, dims do not include the batch dimension. The sizes must be those of " +
			"the signature, -1 where it leaves them free.",
		Why: "A request is checked against the config and then runs as it is.",
		Fix: "Write the dims that the fix offers, or set max_batch_size to 0 and write all dimensions.",
	})
	TF7 = tensorflow.rule(Rule{
		ID: "TF7", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "unable to autofill for '%s', configuration specified max-batch %d but model signature does not " +
			"support batching",
		Also: []string{
			"model '%s', tensor '%s': for the model to support batching the shape should have at least " +
				"1 dimension and the first dimension must be -1; but shape expected by the model is %s",
		},
		Title: "max_batch_size for a signature that takes no batches",
		Means: "With max_batch_size above 0, the first dimension of every tensor of the signature must be free: " +
			"it is the batch.",
		Why: "Triton joins requests along the first dimension, so the model must accept any size there.",
		Fix: "Set max_batch_size to 0, or export the model with a free batch dimension.",
	})
	TF8 = tensorflow.rule(Rule{
		ID: "TF8", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Triton: "configuration specified sequence control '%s', but model does not provide that input",
		Also: []string{
			unableToLoad + "sequence control '%s': the model expects TYPE_%s but the model configuration specifies data-type %s",
		},
		Title: "a sequence control that does not fit the signature",
		Means: "The name of a control input must be an input of the signature, with the type that the control gives.",
		Why:   "The backend makes these inputs itself and gives them to the signature by their names.",
		Fix:   "Correct the name or the type of the control.",
	})
)

var pytorch = &Subject{Title: "PyTorch models"}

// The rules that compare a config with a TorchScript archive.
var (
	PT0 = pytorch.rule(Rule{
		ID: "PT0", Stage: Instance, Status: Unavailable,
		Triton: "unable to find '%s' for model instance '%s'",
		Title:  "a PyTorch model without its file",
		Means:  "The backend opens " + backends.TorchScript.File + ", or what default_model_filename names, in every version folder that is served. That file does not exist.",
		Why:    "The module is loaded from this file.",
		Fix:    "Put the file there, or correct default_model_filename.",
	})
	PT1 = pytorch.rule(Rule{
		ID: "PT1", Stage: Instance, Status: Internal,
		Triton: "failed to load model '%s': PytorchStreamReader %s",
		Title:  "a model file that is not a TorchScript archive",
		Means: "The backend reads files of torch.jit.save, which are ZIP archives. A file of torch.save holds " +
			"weights only, and cannot run without the Python code. libtorch's sentence differs between its " +
			"releases.",
		Why: "The backend runs models with libtorch, which has no Python.",
		Fix: "Save the model with torch.jit.script or torch.jit.trace and torch.jit.save.",
	})
	PT2 = pytorch.rule(Rule{
		ID: "PT2", Stage: Instance,
		Triton: "An input of type '%s' was detected in the model. Only a single input of type " +
			"Dict(str, Tensor) or input(s) of type Tensor are supported.",
		Also:  []string{"Multiple inputs of kind DictType were detected. Only a single input of type Dict(str, Tensor) is supported."},
		Title: "forward takes an argument that is not a tensor",
		Means: "Triton gives the method forward tensors and lists of texts, or one dictionary of tensors. This " +
			"one takes another type.",
		Why: "The backend can make only these from a request.",
		Fix: "Wrap the model in a module whose forward takes tensors, and save that.",
	})
	PT3 = pytorch.rule(Rule{
		ID: "PT3", Stage: Instance,
		Triton: unableToLoad + "configuration expects %d inputs, model provides %d",
		Title:  "the config does not have as many inputs as forward takes",
		Means: "Triton gives forward one argument for each input of the config, so the numbers must be equal. " +
			"An argument that has a default counts too.",
		Why: "libtorch calls forward with a list of arguments, by their positions.",
		Fix: "Add or remove inputs.",
	})
	PT4 = pytorch.rule(Rule{
		ID: "PT4", Stage: Instance,
		Triton: "model configuration must contain at least one %s, none were specified.",
		Title:  "a PyTorch model that lists no inputs or no outputs",
		Means: "A TorchScript file does not say the shapes and types of its inputs and outputs, so Triton " +
			"cannot fill them in.",
		Why: "Without names, types and shapes the server could not check a request.",
		Fix: "List the inputs and outputs.",
	})
	PT5 = pytorch.rule(Rule{
		ID: "PT5", Stage: Instance,
		Triton: "unsupported datatype %s for %s '%s' for model '%s'",
		Title:  "a data type that PyTorch does not have",
		Means:  "PyTorch has no unsigned integers beyond 8 bits.",
		Why:    "The backend makes a tensor of PyTorch from the bytes of the request.",
		Fix:    "Use a signed type that is large enough; the model must take it.",
	})
	PT6 = pytorch.rule(Rule{
		ID: "PT6", Stage: Instance,
		Triton: "Triton only supports 1 dimensional List of String as %s for '%s' for model '%s'",
		Title:  "texts in more than one dimension",
		Means: "PyTorch has no tensors of text. Triton gives forward a flat list of texts, so the tensor must have " +
			"one dimension in all, the batch dimension included.",
		Why: "The backend makes a list from the tensor, and a list has no rows.",
		Fix: "Write one dim, and set max_batch_size to 0; or reshape to one dim.",
	})
	PT7 = pytorch.rule(Rule{
		ID: "PT7", Stage: Instance,
		Triton: "PyTorch model '%s' is using sequence batching with state but not all inputs and outputs follow " +
			"the <name>__<index> naming convention. ",
		Also: []string{
			"PyTorch model '%s' is using sequence batching with state but state '%s' does not follow the <name>__<index> naming convention. ",
			"input '%s' does not follow <name>__<index> naming convention.",
		},
		Title: "a tensor of a sequence model whose name does not say its place",
		Means: "The config does not list controls and states in the order of the arguments. So their names must " +
			"end with their place, counted from 0: NAME__2 is the third argument. In a model with states, all " +
			"inputs and outputs need such names.",
		Why: "libtorch knows arguments by their positions, and returned values have no names.",
		Fix: "Rename the tensors to NAME__INDEX.",
	})
	PT8 = pytorch.rule(Rule{
		ID: "PT8", Stage: Never, Severity: diag.Warning,
		Triton: "input '%s' or previous input(s) are neither an input argument to the model '%s' nor do they " +
			"follow the <name>__<index> naming convention. Falling back to enforcing strict ordering from model " +
			"configuration.",
		Title: "names of inputs that do not lead to the arguments of forward",
		Means: "Triton finds the argument for an input by its name, or by its place in a name such as INPUT__0. If " +
			"a name is neither, it takes the inputs in the order of the config and writes a warning. If a place " +
			"is beyond the last argument, or is used twice, requests go wrong.",
		Why: "libtorch calls forward with a list of arguments, by their positions.",
		Fix: "Name the inputs as the arguments of forward, or INPUT__0, INPUT__1 and so on.",
	})
	PT9 = pytorch.rule(Rule{
		ID: "PT9", Stage: Never, Severity: diag.Warning,
		Triton: "The output %s in the model configuration refers to an output index which doesn't exist. This " +
			"model has %d outputs",
		Title: "outputs that forward does not return",
		Means: "Triton takes the values that forward returns in their order, or by the place in a name such as " +
			"OUTPUT__0. Here an output of the config has a place beyond the last value, or forward returns no " +
			"tensors. The model loads, and requests fail.",
		Why: "The values that a method returns have places but no names.",
		Fix: "Correct the outputs of the config, or wrap the model.",
	})
	PT10 = pytorch.rule(Rule{
		ID: "PT10", Stage: Instance, Status: Internal,
		Title: "a model without the method forward",
		Means: "Triton calls the method forward of the saved module, and this one has none.",
		Why:   "forward is the method by which PyTorch runs a module.",
		Fix:   "Give the module a method forward, and save it again.",
	})
	PT11 = pytorch.rule(Rule{
		ID: "PT11", Stage: Complete,
		Triton: "failed to convert '%s' to boolean", Also: []string{"failed to convert '%s' to integral number"},
		Title: "an option that the pytorch backend cannot read",
		Means: "Values of parameters are texts. The backend reads true, on, 1, false, off and 0 as yes or no, " +
			"and numbers by their first digits.",
		Why: "If the backend ignored the value, the option would silently do nothing.",
		Fix: "Write true or false, or a number.",
	})
)

var tensorrt = &Subject{Title: "TensorRT plans"}

// The rule about the file of a TensorRT plan. Only the beginning of the file is read.
var (
	TRT0 = tensorrt.rule(Rule{
		ID: "TRT0", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Title: "a plan that cannot be read",
		Means: "The file does not begin as a TensorRT plan does. It is damaged, cut off, or of another kind.",
		Why:   "TensorRT reads the plan from this file.",
		Fix:   "Download the file again, or build the plan again.",
	})
)
