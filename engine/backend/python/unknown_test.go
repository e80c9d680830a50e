package python_test

import (
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
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

const stateful = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        answers = []
        for request in requests:
            names = np.array([",".join(sorted(request.requested_output_names())).encode()], np.object_)
            tensors = [pb_utils.Tensor("OUT", names), pb_utils.Tensor("SO", request.inputs()[0].as_numpy())]
            answers.append(pb_utils.InferenceResponse(tensors))
        return answers
`

// The Python backend keeps no states, as in Triton: the program is not asked for them, and the log says so once, without the
// words for an output that the config does not have.
func TestStatesAreNotKept(t *testing.T) {
	cfg := flat(tensor.FP32)
	cfg.Output = []*modelconfig.ModelOutput{{Name: "OUT", DataType: modelconfig.DataType_TYPE_STRING, Dims: []int64{1}}}
	cfg.SchedulingChoice = &modelconfig.ModelConfig_SequenceBatching{SequenceBatching: &modelconfig.ModelSequenceBatching{
		State: []*modelconfig.ModelSequenceBatching_State{{InputName: "SI", OutputName: "SO", DataType: modelconfig.DataType_TYPE_FP32, Dims: []int64{3}}},
	}}
	in, log := load(t, specOf(t, stateful, cfg))
	wanted := []infer.RequestedOutput{{Name: "OUT"}, {Name: "SO"}} // as the scheduler asks
	for range 2 {
		got, err := runRequest(t.Context(), t, in, &infer.Request{Batch: 1, Inputs: []tensor.Tensor{floats("IN", 3, 0)}, Outputs: wanted})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Outputs) != 1 || !strings.HasSuffix(string(got.Outputs[0].Data), "OUT") || strings.Contains(string(got.Outputs[0].Data), "SO") {
			t.Errorf("answered with %v: the program gets the names of the outputs alone", got.Outputs)
		}
		free(got)
	}
	said := 0
	for len(log) > 0 {
		switch line := <-log; {
		case strings.HasPrefix(line, `the program gave the state "SO", which is not kept`):
			said++
		case strings.Contains(line, "the config does not have"):
			t.Errorf("the log says %q of a state", line)
		}
	}
	if said != 1 {
		t.Errorf("the log says %d times that the state is not kept", said)
	}
}
