package python_test

import (
	"context"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// told takes what is sent to a request.
type told struct {
	ctx    context.Context
	ended  chan *infer.Response // the last response
	failed chan error
	fails  chan struct{} // told that it will fail
}

func (to told) Context() context.Context { return to.ctx }
func (to told) Failing()                 { to.fails <- struct{}{} }
func (to told) Fail(err error)           { to.failed <- err }
func (to told) Send(r *infer.Response) error {
	free(r)
	if r.Final {
		to.ended <- r
	}
	return nil
}

// sent executes one request of a decoupled model.
func sent(t *testing.T, in backend.Instance, what string) told {
	t.Helper()
	to := told{t.Context(), make(chan *infer.Response, 1), make(chan error, 1), make(chan struct{}, 1)}
	requests := []*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{text(what)}}}
	batch := backend.NewBatch(requests, func(int, *infer.Response) {}, func(_ int, err error) { to.failed <- err })
	batch.OnLater(func(int) backend.Responder { return to })
	in.Execute(t.Context(), batch)
	return to
}

const refusing = `
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        refusal = pb_utils.InferenceResponse(error=pb_utils.TritonError("refused"))
        for request in requests:
            request.get_response_sender().send(refusal, flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`

// When an execution is over, it is known of each request that its last response in it was an error: the request is no success.
func TestErrorOfASenderIsKnownWhenTheExecutionEnds(t *testing.T) {
	cfg := flat(tensor.Bytes)
	cfg.ModelTransactionPolicy = &modelconfig.ModelTransactionPolicy{Decoupled: true}
	in, _ := load(t, specOf(t, refusing, cfg))
	for range 20 {
		to := sent(t, in, "a")
		select {
		case <-to.fails:
		default:
			t.Fatal("the execution is over, and nobody knows that the request fails")
		}
		if err := <-to.failed; err.Error() != "refused" {
			t.Error(err)
		}
	}
}
