package python_test

import (
	"context"
	"testing"

	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// told takes what is sent to a request.
type told struct {
	ctx    context.Context
	ended  chan *infer.Response // the last response
	failed chan error
}

func (to told) Context() context.Context { return to.ctx }
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
	to := told{t.Context(), make(chan *infer.Response, 1), make(chan error, 1)}
	requests := []*infer.Request{{Batch: 1, Inputs: []tensor.Tensor{text(what)}}}
	batch := backend.NewBatch(requests, func(int, *infer.Response) {}, func(_ int, err error) { to.failed <- err })
	batch.OnLater(func(int) backend.Responder { return to })
	in.Execute(t.Context(), batch)
	return to
}
