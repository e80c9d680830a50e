package python_test

import (
	"context"
	"testing"
	"time"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// oneByOne begins three calls, and waits for two of them one after the other.
const oneByOne = `
import numpy as np
import triton_python_backend_utils as pb_utils


def call():
    tensor = pb_utils.Tensor("IN", np.array([[1]], np.int32))
    return pb_utils.InferenceRequest(model_name="meets", inputs=[tensor], requested_output_names=[])


class TritonPythonModel:
    async def execute(self, requests):
        first, second, _ = [call().async_exec() for _ in range(3)]
        for response in (await first, await second):
            if response.has_error():
                raise ValueError(response.error().message())
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.array([[1]], np.int32))]) for _ in requests]
`

// meets answers three calls when all have come.
type meets chan chan struct{}

func (m meets) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	all := make(chan struct{})
	m <- all
	select {
	case <-all:
		return sink(&infer.Response{Final: true})
	case <-time.After(30 * time.Second):
		return infer.Errorf(infer.Internal, "the other calls did not come")
	}
}

// A call of async_exec begins at once, as in Triton, and not when the program waits for it.
func TestAsyncCallsBeginAtOnce(t *testing.T) {
	in := loadModel(t, oneByOne, flat(tensor.Int32))
	calls := make(meets, 3)
	in.(backend.Caller).Calls(calls)
	go func() {
		var come []chan struct{}
		for range 3 {
			come = append(come, <-calls)
		}
		for _, one := range come {
			close(one)
		}
	}()
	r, err := run(t, in, tensor.Tensor{Name: "IN", Type: tensor.Int32, Shape: tensor.Shape{1, 1}, Data: make([]byte, 4)})
	if err != nil {
		t.Fatal(err)
	}
	free(r)
}
