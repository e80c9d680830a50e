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
	call     Call
	ctx      context.Context
	since    time.Time
	deadline time.Time // zero for none
	// turn tells that waiting is over: with a batch, it is the first of it and runs it; with nil, it has ended.
	turn chan *batch
	// before is closed when the answer to the request that came before has left, left when this one's has; nil where
	// answers need not be in order.
	before, left chan struct{}
}

func newWaiter(ctx context.Context, r *infer.Request, sink infer.Sink) *waiter {
	return &waiter{call: Call{Request: r, sink: sink}, ctx: ctx, since: time.Now(), turn: make(chan *batch, 1)}
}

// next is the next moment at which this request itself changes what may run; false when there is none.
func (w *waiter) next(now time.Time, delay time.Duration) (time.Duration, bool) {
	var moments []time.Duration
	if delay > 0 {
		moments = append(moments, w.since.Add(delay).Sub(now))
	}
	if !w.deadline.IsZero() {
		moments = append(moments, w.deadline.Sub(now))
	}
	moments = slices.DeleteFunc(moments, func(d time.Duration) bool { return d <= 0 })
	if len(moments) == 0 {
		return 0, false
	}
	return slices.Min(moments), true
}

// deliver hands the answer on, in its turn where answers are ordered.
func (w *waiter) deliver() error {
	if w.left != nil {
		defer close(w.left)
		if w.before != nil {
			<-w.before
		}
	}
	return w.call.deliver()
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
