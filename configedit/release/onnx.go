package release

// Library is what a version of ONNX Runtime can read. All was measured by loading models with that version.
type Library struct {
	Version string
	// Opset is the newest operator set of ONNX's own domain, and IR the newest version of the file format.
	Opset, IR int64
}

var libraries = []Library{
	{"1.19.2", 21, 10}, {"1.20.1", 21, 10}, {"1.21.0", 22, 10}, {"1.22.0", 22, 10},
	{"1.23.0", 23, 11}, {"1.23.1", 23, 11}, {"1.23.2", 23, 11},
	{"1.24.1", 25, 13}, {"1.24.2", 25, 13}, {"1.24.4", 25, 13}, {"1.27.0", 26, 13},
}

// Library is the ONNX Runtime of the release.
func (r *Release) Library() Library {
	for _, l := range libraries {
		if l.Version == r.ONNXRuntime {
			return l
		}
	}
	return Library{}
}

// Operator is an operator that an older ONNX Runtime has for fewer types.
type Operator struct {
	Name string
	// Opset is the operator set from which on this counts, and Since the release that has the type.
	Opset int64
	Since string
	// Type is the type of elements that is missing before, and Number its number in ONNX.
	Type   string
	Number int64
}

// Operators lists such operators.
var Operators = []Operator{{Name: "ArgMax", Opset: 13, Since: "24.12", Type: "INT64", Number: 7}}
