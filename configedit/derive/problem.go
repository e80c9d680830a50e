package derive

import (
	"conch/configedit/modelfile"
)

// Code is the Triton error code that a problem comes with, as Triton prints it
// (docs/triton/validation.md, "Error codes").
type Code string

// The codes in use here.
const (
	InvalidArg  Code = "Invalid argument"
	Internal    Code = "Internal"
	Unsupported Code = "Unsupported"
	NotFound    Code = "Not found"
	Unavailable Code = "Unavailable"
)

// Problem is a reason for which Triton would refuse a config.
type Problem struct {
	// Rule names the rule: RuleONNXDims.
	Rule string
	Code Code
	// Path is the place in the config, in the form modelconfig.Decoded.Span
	// takes; what is missing from the config has the place it would belong to.
	Path []any
	// Triton is the sentence Triton prints.
	Triton string
	// Tensor is the tensor of the model file that the problem is about, if any.
	Tensor *modelfile.Tensor
	// Late tells that Triton loads the model all the same, and that requests fail or go wrong.
	Late bool
	// Allowed are the names that would be right in place of a wrong one.
	Allowed []string
}

// Error is Triton's sentence.
func (p *Problem) Error() string { return p.Triton }

// The rules of this package.
const (
	RuleBackendName   = "AC1" // no backend can be told from folder, files or name
	RuleAutofillBatch = "AC2" // max_batch_size on a model that cannot batch

	RuleONNXCount    = "ORT1" // number of inputs
	RuleONNXInput    = "ORT2" // unknown input
	RuleONNXOutput   = "ORT3" // unknown output
	RuleONNXType     = "ORT4" // data type
	RuleONNXDims     = "ORT5" // dims
	RuleONNXBatch    = "ORT6" // max_batch_size on a fixed first dimension
	RuleONNXScalar   = "ORT7" // dims of a scalar
	RuleONNXKind     = "ORT8" // a graph input or output that is no tensor
	RuleONNXOptional = "ORT9" // optional inputs
	RuleONNXRagged   = "ORT10"
	RuleONNXControl  = "ORT11" // sequence controls
	RuleONNXOptions  = "ORT12" // parameters and accelerators (onnxruntime keys)

	RuleSavedSignature = "TF1" // a graph or signature that the file lacks
	RuleSavedElement   = "TF2" // a tensor of a type that cannot be served
	RuleSavedCount     = "TF3" // number of inputs
	RuleSavedName      = "TF4" // unknown input or output
	RuleSavedType      = "TF5" // data type
	RuleSavedDims      = "TF6" // dims
	RuleSavedBatch     = "TF7" // max_batch_size on a fixed first dimension
	RuleSavedControl   = "TF8" // sequence controls

	RuleTorchArgument = "PT2"  // an argument of forward that is no tensor
	RuleTorchCount    = "PT3"  // number of inputs
	RuleTorchNone     = "PT4"  // no input, or no output
	RuleTorchType     = "PT5"  // a data type that libtorch lacks
	RuleTorchString   = "PT6"  // strings of several dimensions
	RuleTorchSequence = "PT7"  // names of sequence controls and states
	RuleTorchName     = "PT8"  // names that say nothing of the place of an argument
	RuleTorchOutput   = "PT9"  // outputs that forward does not give
	RuleTorchForward  = "PT10" // a class without forward
	RuleTorchOptions  = "PT11" // values of parameters
)

// Filled says what was filled in and why, for people.
type Filled struct {
	// Path is the place in the effective config, in the form that
	// modelconfig.Decoded.Span takes.
	Path   []any
	Reason string
}

// at makes a path.
func at(path ...any) []any { return path }
