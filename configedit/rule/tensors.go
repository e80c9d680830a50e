package rule

import "conch/configedit/diag"

var tensors = &Subject{Title: "Inputs and outputs"}

// The rules about input and output. Triton looks at them when it loads a model, or before that where the server
// completes no configs.
var (
	IO1 = tensors.rule(Rule{
		ID: "IO1", Stage: IO,
		Triton: "model %s must specify 'name' for %s",
		Title:  "an input or output without a name",
		Means:  "Requests and backends find tensors by their names.",
		Why:    "A tensor without a name could not be asked for.",
		Fix:    "Add name with the name that the model file has.",
	})
	IO2 = tensors.rule(Rule{
		ID: "IO2", Stage: IO,
		Triton: "model %s '%s' must specify 'data_type' for %s",
		Title:  "an input or output without a data type",
		Means: "data_type is missing, or is TYPE_INVALID. Backends such as onnxruntime take it from the model " +
			"file, but only if the config lists no inputs or no outputs at all, or if the file has the tensor.",
		Why: "Triton computes from the type how many bytes a tensor has, and refuses other requests.",
		Fix: "Add data_type, such as TYPE_FP32.",
	})
	IO3 = tensors.rule(Rule{
		ID: "IO3", Stage: IO,
		Triton: "model %s '%s' must specify 'dims' for %s",
		Title:  "an input or output without dims",
		Means: "dims is the shape of the tensor, without the batch dimension where max_batch_size is above 0. An " +
			"empty list is the same as none. A single value has dims: [ 1 ].",
		Why: "Triton computes from dims how many bytes a tensor has, and refuses other requests.",
		Fix: "Add dims, with -1 where a size varies.",
	})
	IO4 = tensors.rule(Rule{
		ID: "IO4", Stage: IO,
		Triton: "model %s '%s' cannot have empty reshape for non-batching model as scalar tensors are not " +
			"supported for %s",
		Title: "an empty reshape in a model that takes no batches",
		Means: "reshape { shape: [ ] } gives the model a tensor that has only the batch dimension. With " +
			"max_batch_size 0 it would have no dimension at all.",
		Why: "Triton cannot send a tensor without dimensions.",
		Fix: "Write shape: [ 1 ], or let the model take batches.",
	})
	IO5 = tensors.rule(Rule{
		ID: "IO5", Stage: IO,
		Triton: "model %s '%s' dimension must be integer >= 1, or -1 to indicate a variable-size dimension for %s",
		Title:  "a dim that is 0, or below -1",
		Means:  "A dim is a size from 1 on, or -1 where the size varies from request to request.",
		Why:    "A dim of 0 would be a tensor without elements, and other negative numbers have no meaning.",
		Fix:    "Write the size, or -1.",
	})
	IO6 = tensors.rule(Rule{
		ID: "IO6", Stage: IO,
		Triton: "model %s '%s' reshape dimensions must be integer >= 1, or -1 to indicate a variable-size " +
			"dimension for %s",
		Title: "a dim of a reshape that is 0, or below -1",
		Means: "A dim of a reshape is a size from 1 on, or -1 where the size varies from request to request.",
		Why:   "A reshape is the shape that the backend gets, so the rules of dims hold for it too.",
		Fix:   "Write the size, or -1.",
	})
	IO7 = tensors.rule(Rule{
		ID: "IO7", Stage: IO,
		Triton: "model %s '%s' has different size for dims and reshape for %s",
		Title:  "dims and reshape hold different numbers of elements",
		Means: "reshape is the shape that the model itself has, where requests have another one. It holds the " +
			"same values, so both shapes need the same number of elements. An empty shape holds one. Where one " +
			"varies, the other must vary too.",
		Why: "A reshape moves no data: it only gives the same bytes another shape.",
		Fix: "Correct dims or the reshape.",
	})
	IO8 = tensors.rule(Rule{
		ID: "IO8", Stage: IO,
		Triton: "model %s '%s' has different number of variable-size dimensions for dims and reshape for %s",
		Title:  "dims and reshape have different numbers of -1",
		Means:  "The same values are in both shapes, so both must have as many dimensions that vary.",
		Why:    "Triton matches the first -1 of dims with the first -1 of the reshape, and so on.",
		Fix:    "Write as many -1 in the reshape as in dims.",
	})
	IO9 = tensors.rule(Rule{
		ID: "IO9", Stage: IO,
		Triton: "model %s '%s' has different size for dims and reshape for %s",
		Title:  "dims and reshape differ between the dimensions that vary",
		Means: "Before, between and after the dimensions of -1, the fixed sizes of both shapes must multiply to " +
			"the same number. [ 4, -1 ] and [ 2, 2, -1 ] fit; [ 4, -1 ] and [ -1, 4 ] do not.",
		Why: "If a dimension varies, both shapes hold the same number of elements for every size only if the " +
			"parts around it do.",
		Fix: "Move or correct the fixed sizes.",
	})
	IO10 = tensors.rule(Rule{
		ID: "IO10", Stage: IO,
		Triton: "element count for tensor '%s dims' exceeds maximum size of 9223372036854775807 for %s",
		Title:  "a shape with more elements than can be counted",
		Means:  "The product of the sizes does not fit in 64 bits. Triton computes it if there is a reshape.",
		Why:    "Sizes are kept in signed numbers of 64 bits.",
		Fix:    "Correct the sizes.",
	})
	IO11 = tensors.rule(Rule{
		ID: "IO11", Stage: IO,
		Triton: "model input NHWC/NCHW require 3 dims for %s",
		Title:  "an image format for a tensor that is not an image",
		Means: "FORMAT_NHWC and FORMAT_NCHW give the order of height, width and channels, so dims must have 3 " +
			"entries. The batch is not one of them.",
		Why: "A format without height, width and channels has no meaning.",
		Fix: "Remove format, or write three dims.",
	})
	IO12 = tensors.rule(Rule{
		ID: "IO12", Stage: IO,
		Triton: "shape tensors are only supported for TensorRT platform for %s",
		Title:  "is_shape_tensor outside TensorRT",
		Means:  "A shape tensor holds a shape instead of data. Only TensorRT plans have such tensors.",
		Why:    "No other backend knows such tensors, so the field would have no effect.",
		Fix:    "Remove is_shape_tensor.",
	})
	IO13 = tensors.rule(Rule{
		ID: "IO13", Stage: IO,
		Triton: "Non-linear IO format is only supported for the TensorRT platform for %s",
		Title:  "is_non_linear_format_io outside TensorRT",
		Means: "The values of such a tensor are not one after the other in memory. Only TensorRT plans have such " +
			"tensors.",
		Why: "No other backend knows such formats, so the field would have no effect.",
		Fix: "Remove is_non_linear_format_io.",
	})
	IO14 = tensors.rule(Rule{
		ID: "IO14", Stage: IO,
		Triton: "Non-linear IO format %s requires 3 dims for %s",
		Title:  "is_non_linear_format_io for a tensor without 3 dims",
		Means:  "TensorRT's non-linear formats are for images, so dims must have 3 entries.",
		Why:    "TensorRT packs the channels of an image, which needs all three dimensions.",
		Fix:    "Write three dims, or remove is_non_linear_format_io.",
	})
	IOTwice = tensors.rule(Rule{
		ID: "IO-TWICE", Stage: Never, Severity: diag.Warning,
		Title: "an input or output is given twice",
		Means: "Two inputs, or two outputs, have one name. Triton loads the model. It then expects two inputs, finds " +
			"only one of that name in a request, and refuses every request.",
		Why: "Triton keeps inputs and outputs as lists and does not compare their names.",
		Fix: "Remove one of them, or correct its name.",
	})
	L24 = tensors.rule(Rule{
		ID: "L24", Stage: Instance,
		Triton: "'optional' is set to true for input '%s' while the backend model doesn't support optional input",
		Title:  "an optional input for a backend that does not support it",
		Means: "optional lets requests leave the input out. The backends tensorrt, pytorch and openvino always " +
			"need every input.",
		Why: "These backends give their framework every input of the model.",
		Fix: "Remove optional.",
	})
)

var batchTensors = &Subject{Title: "Batch inputs and batch outputs"}

// The rules about batch_input and batch_output.
var (
	B1 = batchTensors.rule(Rule{
		ID: "B1", Stage: IO,
		Triton: "batch input kind '%s' expects 1 source input, got %d for %s",
		Title:  "a batch input that is not made from one input",
		Means: "A batch input is an extra tensor that the backend computes from the batch, such as the number " +
			"of elements of each request. It is computed from one input.",
		Why: "The backend reads one tensor to compute the numbers. With two it would not know which one to read.",
		Fix: "Name exactly one input in source_input.",
	})
	B2 = batchTensors.rule(Rule{
		ID: "B2", Stage: IO,
		Triton: "unknown batch input kind '' for %s",
		Title:  "a kind of batch input that does not exist",
		Means:  "kind is written as a number, and no kind has this number. Triton's parser takes any number here.",
		Why:    "protobuf keeps unknown numbers of an enumeration, so Triton has to check them itself.",
		Fix:    "Write a kind by its name, such as BATCH_ELEMENT_COUNT.",
	})
	B3 = batchTensors.rule(Rule{
		ID: "B3", Stage: IO,
		Triton: "batch input data type must be TYPE_INT32 or TYPE_FP32 for %s", Also: []string{"unexpected batch input data type '%s'"},
		Title: "a batch input of a wrong type",
		Means: "The backend computes the values of a batch input, and can write them as TYPE_INT32 or TYPE_FP32 only.",
		Why:   "Counts and sums of elements are numbers, and backends write them in these two types.",
		Fix:   "Write one of the two types; the model must take it.",
	})
	B4 = batchTensors.rule(Rule{
		ID: "B4", Stage: IO,
		Triton: "unknown source input name '%s' for %s",
		Title:  "a batch input made from an input that does not exist",
		Means:  "source_input must be the name of an input of this config.",
		Why:    "The values are computed from the tensor of that name in each request.",
		Fix:    "Correct the name, or add the input.",
	})
	B5 = batchTensors.rule(Rule{
		ID: "B5", Stage: IO,
		Triton: "batch output kind '%s' expects 1 source input, got %d for %s",
		Title:  "a batch output that is not shaped by one input",
		Means:  "A batch output is split among the requests of a batch by the shape of one input.",
		Why:    "One input says how many elements belong to each request; two could say different things.",
		Fix:    "Name exactly one input in source_input.",
	})
	B6 = batchTensors.rule(Rule{
		ID: "B6", Stage: IO,
		Triton: "unknown batch output kind '' for %s",
		Title:  "a kind of batch output that does not exist",
		Means:  "kind is written as a number, and no kind has this number. Triton's parser takes any number here.",
		Why:    "protobuf keeps unknown numbers of an enumeration, so Triton has to check them itself.",
		Fix:    "Write BATCH_SCATTER_WITH_INPUT_SHAPE, the only kind.",
	})
	B7 = batchTensors.rule(Rule{
		ID: "B7", Stage: IO,
		Triton: "unknown source input name '%s' for %s",
		Title:  "a batch output shaped by an input that does not exist",
		Means:  "source_input must be the name of an input of this config.",
		Why:    "The shape of that input in each request says where the output is cut.",
		Fix:    "Correct the name, or add the input.",
	})
	B8 = batchTensors.rule(Rule{
		ID: "B8", Stage: IO,
		Triton: "unknown target output name '%s' for %s",
		Title:  "a batch output for an output that does not exist",
		Means:  "target_name must be the name of an output of this config.",
		Why:    "The answer of each request is a part of that output.",
		Fix:    "Correct the name, or add the output.",
	})
	B9 = batchTensors.rule(Rule{
		ID: "B9", Stage: IO,
		Triton: "target output name '%s' can only be specified once for %s",
		Title:  "a batch output that names an output twice",
		Means:  "target_name lists the outputs that are split. One output is in the list twice.",
		Why:    "An output can be cut in one way only.",
		Fix:    "Remove one of the two.",
	})
)
