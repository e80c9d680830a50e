package rule

import (
	"conch/configedit/backends"
	"conch/configedit/diag"
)

var openVINO = &Subject{Title: "OpenVINO models"}

// The rules that compare a config with an OpenVINO model. The sentences are read in the sources of Triton's backend.
var (
	OV0 = openVINO.rule(Rule{
		ID: "OV0", Stage: Instance, Status: Internal,
		Title: "a model file that is not an OpenVINO model",
		Means: "The file exists, but OpenVINO cannot read it: it is empty, cut off, or of another kind. It may also be a " +
			"Git LFS pointer, a short text in place of the file. Triton says \"openvino error in reading model\", and what OpenVINO" +
			" says, which differs between its releases.",
		Why: "OpenVINO reads the graph from " + backends.OpenVINOModel.File + ", and the weights from the file beside it.",
		Fix: "Download or convert the model again.",
	})
	OV1 = openVINO.rule(Rule{
		ID: "OV1", Stage: Instance,
		Triton: unableToLoad + "configuration expects %d inputs, model provides %d",
		Title:  "the config does not have as many inputs as the model file",
		Means: "The list input must have one entry for each input of the model file. Batch inputs, controls and states " +
			"do not count.",
		Why: "OpenVINO runs a model only when all its inputs are given.",
		Fix: "Add the missing inputs, or remove those that the model does not have.",
	})
	OV2 = openVINO.rule(Rule{
		ID: "OV2", Stage: Instance,
		Triton: "unexpected inference %s '%s', allowed %ss are: %s",
		Title:  "an input or output that the model file does not have",
		Means: "Every input and output of the config must be one of the model file, by its exact name. Of several names of " +
			"a tensor, the first in the order of their bytes counts. The config may leave outputs out.",
		Why: "OpenVINO finds tensors by their names.",
		Fix: "Use one of the names that the message lists.",
	})
	OV3 = openVINO.rule(Rule{
		ID: "OV3", Stage: Instance, Status: Internal,
		Triton: "unsupported datatype %s for %s '%s' for model '%s'",
		Title:  "a data type that the openvino backend does not have",
		Means:  "The backend has integers, TYPE_BOOL, TYPE_FP16 and TYPE_FP32. Conch's own engine takes TYPE_FP64 too.",
		Why:    "The backend makes a tensor of OpenVINO from the bytes of a request.",
		Fix:    "Write another type, such as the one of the model file. OpenVINO converts the values where they differ.",
	})
	OV4 = openVINO.rule(Rule{
		ID: "OV4", Stage: Instance,
		Triton: "model '%s', tensor '%s': the model expects %d dimensions (shape %s) but the model configuration " +
			"specifies %d dimensions (%s)",
		Also:  []string{"model '%s', tensor '%s': for the model to support batching the shape should have at least 1 dimension"},
		Title: "dims that do not fit the model file",
		Means: "With max_batch_size above 0, dims do not include the batch dimension, which the backend sets itself. " +
			"Where the file has a number, the config must have the same one; an input may also have -1 then, if the " +
			"model takes batches. Where the file has -1, any size will do. With a reshape, the reshape is compared; " +
			"with the parameter RESHAPE_IO_LAYERS, inputs are not compared, since the model gets the dims of the config. " +
			"Inputs or outputs that the config leaves out are filled in before, and one open size makes all sizes of the tensor open.",
		Why: "A request is checked against the config and then runs as it is, so the config must not promise more than the model takes.",
		Fix: "Write the dims that the fix offers, or set max_batch_size to 0 and write all dimensions.",
	})
	OV5 = openVINO.rule(Rule{
		ID: "OV5", Stage: Never, Severity: diag.Warning,
		Title: "a data type that loses values of the model file's",
		Means: "The config has another type than the model file. OpenVINO converts the values, and here some of them cannot " +
			"be kept: fractions are cut off, and large or negative numbers become others.",
		Why: "Triton gives OpenVINO the types of the config, and OpenVINO converts from and to those of the model.",
		Fix: "Write the type of the model file, if that was not meant.",
	})
)
