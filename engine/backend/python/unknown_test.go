package python_test

import (
	"testing"

	"conch/engine/tensor"
)

const misnaming = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTT", r.inputs()[0].as_numpy())]) for r in requests]
`

// An output that the config does not have is left out of the answer, as in Triton; the model's log names it, once.
func TestUnknownOutputIsToldOnce(t *testing.T) {
	in, log := load(t, specOf(t, misnaming, flat(tensor.FP32)))
	for range 2 {
		got, err := run(t, in, floats("IN", 3, 0))
		if err != nil || len(got.Outputs) > 0 {
			t.Fatalf("answered with %v, %v", got, err)
		}
		free(got)
	}
	said := 0
	for len(log) > 0 {
		if line := <-log; line == `the program gave "OUTT", which the config does not have: no client gets it` {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the log says %d times which output the config does not have", said)
	}
}
