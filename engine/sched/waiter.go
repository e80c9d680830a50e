package sched

import (
	"context"
	"slices"
	"time"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// waiter is a request in Dynamic's queue.
type waiter struct {
	call  Call
	ctx   context.Context
	since time.Time
	lead  chan *batch   // it is the first of this batch and runs it
	done  chan struct{} // closed when another has run its batch
}

func newWaiter(ctx context.Context, r *infer.Request, sink infer.Sink) *waiter {
	return &waiter{
		call: Call{Request: r, sink: sink}, ctx: ctx, since: time.Now(),
		lead: make(chan *batch, 1), done: make(chan struct{}),
	}
}

// alike says whether two requests may be put together: the same inputs present, with the same type and the
// same shape behind the batch dimension (triton-runtime D4, D6).
func alike(a, b *infer.Request) bool {
	if len(a.Inputs) != len(b.Inputs) {
		return false
	}
	for i := range a.Inputs {
		x, y := &a.Inputs[i], &b.Inputs[i]
		if x.Name != y.Name {
			if y = b.Input(x.Name); y == nil {
				return false
			}
		}
		if x.Type != y.Type || !slices.Equal(item(x), item(y)) {
			return false
		}
	}
	return true
}

// item is the shape of one item of a batch.
func item(t *tensor.Tensor) tensor.Shape {
	if len(t.Shape) == 0 {
		return nil
	}
	return t.Shape[1:]
}
