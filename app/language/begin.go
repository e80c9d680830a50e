package language

import (
	"fmt"

	"conch/configedit/backends"
)

// Begin returns a first config for a new model. It is valid, except for what only a person knows.
func Begin(name, backend string) string { return fmt.Sprintf("name: %q\n", name) + begin(backend) }

// begin leaves the name to the folder.
func begin(backend string) string {
	tensors := `input [
  { name: "INPUT" data_type: TYPE_FP32 dims: [ -1 ] }
]
output [
  { name: "OUTPUT" data_type: TYPE_FP32 dims: [ -1 ] }
]
`
	switch backend {
	case backends.Ensemble:
		return fmt.Sprintf("platform: %q\nmax_batch_size: 0\n", backends.Ensemble) + tensors + "ensemble_scheduling {\n  step [\n  ]\n}\n"
	case "", backends.ONNXRuntime:
		// Everything else is read from the model file.
		return fmt.Sprintf("backend: %q\n", backends.ONNXRuntime)
	}
	return fmt.Sprintf("backend: %q\nmax_batch_size: 0\n", backend) + tensors
}
