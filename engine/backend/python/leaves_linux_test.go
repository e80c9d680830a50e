package python_test

import (
	"context"
	"sync"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/python"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// leavesCalls takes the first answer of a call, and forgets the others.
const leavesCalls = `
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for answer in self.call().exec(decoupled=True):
            first = answer.output_tensors()[0].as_numpy()[:, :1]
            break
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", first)])]

    def call(self):
        tensor = pb_utils.Tensor("IN", np.array([[100]], np.int32))
        return pb_utils.InferenceRequest(model_name="many", inputs=[tensor], requested_output_names=[])
`

// many gives a hundred large answers, and knows which of its requests have not ended.
type many struct{ open sync.WaitGroup }

func (m *many) Infer(_ context.Context, _ *infer.Request, sink infer.Sink) error {
	m.open.Add(1)
	defer m.open.Done()
	large := tensor.Tensor{Name: "OUT", Type: tensor.Int32, Shape: tensor.Shape{1, 25_000}, Data: make([]byte, 100_000)}
	for i := range 100 {
		if err := sink(&infer.Response{Final: i == 99, Outputs: []tensor.Tensor{large}}); err != nil {
			return err
		}
	}
	return nil
}

// A call whose answers the model does not read to their end goes on to its end, as in Triton, and holds neither the model that it
// calls nor memory.
func TestCallsThatAreLeft(t *testing.T) {
	in, called := loadModel(t, leavesCalls, flat(tensor.Int32)), &many{}
	in.(backend.Caller).Calls(called)
	one := tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)}
	for range 5 {
		r, err := run(t, in, one)
		if err != nil {
			t.Fatal(err)
		}
		free(r)
		called.open.Wait()
	}
	r, err := run(t, in, one)
	if err != nil {
		t.Fatal(err)
	}
	free(r)
	called.open.Wait()
	if got := python.Taken(in); got > 2*16 {
		t.Errorf("%d segments are taken by answers that nobody reads", got)
	}
}
