package rule

import "conch/configedit/diag"

var releases = &Subject{Title: "Releases"}

// The rules about what the chosen release of Triton does not have; see configedit/release.
var (
	REL1 = releases.rule(Rule{
		ID: "REL1", Stage: Text,
		Triton: noField,
		Title:  "a field that this release of Triton does not have",
		Means: "The field came with a later release than the one that --triton chooses. An older Triton refuses the whole file " +
			"because of it.",
		Why: "protobuf's parser of text knows the fields that it was built with.",
		Fix: "Remove the field, or serve the model with a newer Triton.",
	})
	REL2 = releases.rule(Rule{
		ID: "REL2", Stage: Never, Severity: diag.Warning, Perhaps: true,
		Title: "a backend that this release of Triton does not include",
		Means: "The images of the release that --triton chooses do not have the backend. This is a warning, since " +
			"a server may have backends of its own.",
		Why: "Each image is built with a choice of backends.",
		Fix: "Convert the model, for example to ONNX, or serve it with an older Triton.",
	})
	REL3 = releases.rule(Rule{
		ID: "REL3", Stage: Instance, Status: Internal,
		Title: "an ONNX model that is too new for this release of Triton",
		Means: "Each release of Triton comes with one version of ONNX Runtime, which reads operator sets and file " +
			"formats up to a certain number. The model needs a later one than the release chosen by --triton " +
			"has.",
		Why: "An operator of a later set may compute something else, so a runtime reads no set that it does not know.",
		Fix: "Export the model with an older operator set, or serve it with a newer Triton.",
	})
	REL4 = releases.rule(Rule{
		ID: "REL4", Stage: Instance, Status: Internal,
		Triton: "onnx runtime error 9: Could not find an implementation for %s(%d) node with name '%s'",
		Title:  "an operator that this release of Triton does not have for the type",
		Means: "The ONNX Runtime in the release that --triton chooses has the operator, but not for every type of " +
			"elements. Conch does not follow types through the whole model. Where a Cast sets the type, this is " +
			"an error; elsewhere it is a warning.",
		Why: "ONNX Runtime has kernels for pairs of an operator and a type, and not for all of them.",
		Fix: "Convert the input of the operator to another type, or serve the model with a newer Triton.",
	})
)
