// Package release is the table of Triton's releases: which ONNX Runtime each brings and what that can read, and which
// fields, backends and rules a release does not have. Where it is not known in which of two releases something came, the
// table says what keeps Conch from calling an error what Triton takes.
//
// The facts rest on what docs/triton/onnx.md, "Which library", says. The table is not to be changed.
package release

// Release is one monthly release of Triton.
type Release struct {
	// Name is year and month: 24.10. Names compare as text.
	Name string
	// ONNXRuntime is the version of the library in its ONNX Runtime backend.
	ONNXRuntime string
}

// table has the oldest release first. 25.08's library is not known; it counts as the next one, which reads more.
var table = []Release{
	{"24.09", "1.19.2"}, {"24.10", "1.19.2"}, {"24.11", "1.19.2"}, {"24.12", "1.20.1"},
	{"25.01", "1.20.1"}, {"25.02", "1.20.1"}, {"25.03", "1.21.0"}, {"25.04", "1.21.0"},
	{"25.05", "1.22.0"}, {"25.06", "1.22.0"}, {"25.07", "1.22.0"}, {"25.08", "1.23.0"},
	{"25.09", "1.23.0"}, {"25.10", "1.23.1"}, {"25.11", "1.23.2"}, {"25.12", "1.23.2"},
	{"26.01", "1.23.2"}, {"26.02", "1.24.1"}, {"26.03", "1.24.2"}, {"26.04", "1.24.4"},
	{"26.05", "1.24.4"}, {"26.06", "1.24.4"}, {"26.07", "1.27.0"},
}

// All lists the releases, the oldest first.
func All() []Release { return table }

// Newest is the newest release that the table has.
func Newest() *Release { return &table[len(table)-1] }

// Find returns the release of a name; nil where the table has none.
func Find(name string) *Release {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}

// Before reports whether the release is older than the one of a name.
func (r *Release) Before(name string) bool { return r.Name < name }

// Python is the version of Python in the images; "" where it is not known.
func (r *Release) Python() string {
	switch {
	case r.Before("24.11"):
		return "3.10"
	case r.Before("24.12"):
		return "" // Ubuntu changed about then
	}
	return "3.12"
}

// NumPy2 reports whether the Python backend takes arrays of NumPy 2. Older ones give outputs without bytes.
// pybind11 takes them since 2.12, which python_backend has since 24.11; 24.10 was tried.
func (r *Release) NumPy2() bool { return !r.Before("24.11") }

// Field is a field of the config that older releases refuse as unknown.
type Field struct {
	// Since is the first release that may have it.
	Since string
	// Path is where it stands, and Message the name of the message that has it.
	Path    []any
	Message string
}

// Fields lists the fields that came after the oldest release of the table.
var Fields = []Field{
	{Since: "24.11", Path: []any{"model_metrics"}, Message: "ModelConfig"},
	{Since: "25.11", Path: []any{"ensemble_scheduling", "max_inflight_requests"}, Message: "ModelEnsembling"},
}

// Rule is a rule that releases before Since do not have. Its identifier is that of configedit/rule.
type Rule struct{ ID, Since string }

// Rules lists the rules that came after the oldest release of the table.
var Rules = []Rule{{"L7", "26.02"}, {"IO10", "26.04"}}

// Has reports whether the release has a rule.
func (r *Release) Has(id string) bool {
	for _, known := range Rules {
		if known.ID == id {
			return !r.Before(known.Since)
		}
	}
	return true
}

// Without returns the release from which on Triton has no backend of that name; "" where it still has it.
func Without(backend string) string { return gone[backend] }

var gone = map[string]string{"tensorflow": "25.03"}
