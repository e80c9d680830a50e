package rule

import (
	"conch/configedit/backends"
)

var onnx = &Subject{Title: "ONNX models"}

// unableToLoad is the beginning of many sentences of backends.
const unableToLoad = "unable to load model '%s', "

// The rules that compare a config with an ONNX model.
var (
	ORT0 = onnx.rule(Rule{
		ID: "ORT0", Stage: Instance, Status: Internal,
		Triton: "failed to stat file %s", Also: []string{"unable to find '%s' for model instance '%s'"},
		Title: "an ONNX model without its file",
		Means: "The backend opens " + backends.ONNX.File + ", or what default_model_filename names, in every version folder that is served. It may also " +
			"be a folder with a " + backends.ONNX.Inside + " in it. It does not exist, or cannot be opened.",
		Why: "The session of ONNX Runtime is made from this file.",
		Fix: "Put the file there, or correct default_model_filename.",
	})
	ORT1 = onnx.rule(Rule{
		ID: "ORT1", Stage: Instance,
		Triton: unableToLoad + "configuration expects %d inputs, model provides %d",
		Title:  "the config does not have as many inputs as the model file",
		Means: "The backend counts the inputs that are not optional, batch inputs, controls and states of the " +
			"config. The sum must be the number of the model's inputs.",
		Why: "ONNX Runtime runs a model only when all its inputs are given.",
		Fix: "Add the missing inputs, or remove those that the model does not have.",
	})
	ORT2 = onnx.rule(Rule{
		ID: "ORT2", Stage: Instance,
		Triton: "unexpected inference input '%s', allowed inputs are: %s",
		Title:  "an input that the model file does not have",
		Means: "Every input of the config must be an input of the model file, by its exact name. An optional input " +
			"must be an initializer that can be overridden.",
		Why: "ONNX Runtime finds inputs by their names.",
		Fix: "Use one of the names that the message lists.",
	})
	ORT3 = onnx.rule(Rule{
		ID: "ORT3", Stage: Instance,
		Triton: "unexpected inference output '%s', allowed outputs are: %s",
		Title:  "an output that the model file does not have",
		Means: "Every output of the config must be an output of the model file, by its exact name. The config " +
			"may leave outputs out.",
		Why: "ONNX Runtime finds outputs by their names.",
		Fix: "Use one of the names that the message lists.",
	})
	ORT4 = onnx.rule(Rule{
		ID: "ORT4", Stage: Instance,
		Triton: unableToLoad + "configuration expects datatype %s for %s '%s', model provides %s",
		Also:   []string{"attempt to access JSON non-string as string"},
		Title:  "a data type that differs from the model file's",
		Means: "The data_type in the config must be the one of the tensor in the model file. If data_type is " +
			"written as a number and no type has it, the backend fails with a sentence about JSON.",
		Why: "The backend hands the bytes of a request to ONNX Runtime as they are.",
		Fix: "Write the type of the model file.",
	})
	ORT5 = onnx.rule(Rule{
		ID: "ORT5", Stage: Instance,
		Triton: "model '%s', tensor '%s': the model expects %d dimensions (shape %s) but the model configuration " +
			"specifies %d dimensions (%s)",
		Title: "dims that do not fit the model file",
		Means: "With max_batch_size above 0, dims do not include the batch dimension. An input may be stricter " +
			"than the file: where the file has a free size, the config may fix it. An output must have the same " +
			"sizes, -1 where the file leaves them free. If a tensor has a reshape, the reshape is compared.",
		Why: "A request is checked against the config and then runs as it is, so the config must not promise more than the model takes.",
		Fix: "Write the dims that the fix offers, or set max_batch_size to 0 and write all dimensions.",
	})
	ORT6 = onnx.rule(Rule{
		ID: "ORT6", Stage: Instance,
		Triton: "model '%s', tensor '%s': for the model to support batching the shape should have at least " +
			"1 dimension and the first dimension must be -1; but shape expected by the model is %s",
		Title: "max_batch_size for a model file that takes no batches",
		Means: "With max_batch_size above 0, the first dimension of every tensor in the model file must be free: " +
			"it is the batch.",
		Why: "Triton joins requests along the first dimension, so the model must accept any size there.",
		Fix: "Set max_batch_size to 0 and write all dimensions, or export the model with a free batch dimension.",
	})
	ORT7 = onnx.rule(Rule{
		ID: "ORT7", Stage: Instance,
		Triton: unableToLoad + "scalar tensor '%s', should only provide 1 in the model configuration when the model " +
			"doesn't support batching. Model configuration provided: %s.",
		Title: "dims of a scalar that are not 1",
		Means: "The tensor of the model file has no dimensions: it is a single value. Triton has no such tensors. " +
			"It describes this one with dims: [ 1 ].",
		Why: "In Triton's protocol, an empty shape looks the same as a missing shape.",
		Fix: "Write dims: [ 1 ].",
	})
	ORT8 = onnx.rule(Rule{
		ID: "ORT8", Stage: Instance, Status: Unsupported,
		Triton: "Unsupported ONNX Type '%s' for I/O '%s', expected '%s'.",
		Title:  "an input or output of the model file that is not a tensor",
		Means: "ONNX models can have sequences and maps as inputs and outputs. Triton serves tensors only, and " +
			"checks all inputs and outputs of the file, even those that the config leaves out.",
		Why: "Triton's protocol carries tensors only.",
		Fix: "Export the model without them. For scikit-learn classifiers, switch ZipMap off.",
	})
	ORT9 = onnx.rule(Rule{
		ID: "ORT9", Stage: Instance,
		Triton: unableToLoad + "optional input '%s' is not supported for models that support batching",
		Title:  "an optional input in a model that batches",
		Means:  "The requests of a batch are run together, and an input is there for all of them or for none.",
		Why:    "In one batch some requests could bring the input and others not.",
		Fix:    "Remove optional, or set max_batch_size to 0.",
	})
	ORT10 = onnx.rule(Rule{
		ID: "ORT10", Stage: Instance,
		Triton: unableToLoad + "configuration expects model provides input with shape [-1]  for ragged input '%s', model provides %s",
		Also: []string{
			unableToLoad + "configuration expects model provides input with shape [-1] for ragged input '%s', which is not supported for optional input",
		},
		Title: "a ragged input that the model file does not take",
		Means: "allow_ragged_batch joins requests of different sizes into one flat list. So the input must have " +
			"the shape [-1] in the model file, and it cannot be optional.",
		Why: "A flat list is the only shape that requests of different sizes have in common.",
		Fix: "Remove allow_ragged_batch, or export the model with a flat input.",
	})
	ORT11 = onnx.rule(Rule{
		ID: "ORT11", Stage: Instance,
		Triton: unableToLoad + "sequence control '%s' in model has dims %s but dims [1] is expected",
		Also: []string{
			"configuration specified sequence control '%s', but model does not provide that input",
			unableToLoad + "sequence control '%s', the model expects data-type %s but the model configuration specifies data-type %s",
		},
		Title: "a sequence control that does not fit the model file",
		Means: "The name of a control input must be an input of the model file. It holds one value for each " +
			"request, of the type that the control gives.",
		Why: "The backend makes these inputs itself and hands them to the session by their names.",
		Fix: "Correct the name or the type of the control, or export the model with an input of shape [-1, 1].",
	})
	ORT12 = onnx.rule(Rule{
		ID: "ORT12", Stage: Instance,
		Triton: "failed to convert '%s' to boolean",
		Also: []string{
			"failed to convert '%s' to integral number",
			"Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got %d .", // with these blanks
			"unknown Execution Accelerator '%s' is requested",
		},
		Title: "an option that the onnxruntime backend cannot read",
		Means: "Values of parameters are texts. The backend reads true, on, 1, false, off and 0 as yes or no, " +
			"and numbers by their first digits. cpu_execution_accelerator knows openvino only.",
		Why: "If the backend ignored the value, the option would silently do nothing.",
		Fix: "Write one of the values that the message names.",
	})
	ORT13 = onnx.rule(Rule{
		ID: "ORT13", Stage: Instance, Status: Internal,
		Triton: "onnx runtime error 7: Load model from %s failed:Protobuf parsing failed.",
		Also:   []string{"onnx runtime error 1: Load model from %s failed:%s ModelProto does not have a graph."},
		Title:  "a model file that is not an ONNX model",
		Means: "The file exists, but ONNX Runtime cannot read it: it is damaged, cut off, or of another kind. It " +
			"may also be a Git LFS pointer, a short text in place of the file.",
		Why: "The session of ONNX Runtime is made from this file.",
		Fix: "Download or export the file again.",
	})
	ORT14 = onnx.rule(Rule{
		ID: "ORT14", Stage: Instance, Status: Internal,
		Triton: "onnx runtime error 1: External data path does not exist: %q",
		Title:  "weights that are not beside the model file",
		Means: "Large ONNX models keep their weights in files beside " + backends.ONNX.File + ", under names that the model gives. One of them is " +
			"missing. The sentence is the one of ONNX Runtime 1.31; older releases have another one.",
		Why: "A protobuf file can hold 2 GiB at most, so larger weights must be in other files.",
		Fix: "Copy the file beside the model file, under its old name.",
	})
)
