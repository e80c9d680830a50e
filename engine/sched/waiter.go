package sched

import (
	"context"
	"time"

	"conch/engine/infer"
)

// waiter is a request in a queue.
type waiter struct {
	call     Call
	ctx      context.Context
	arrived  time.Time
	since    time.Time // when it began to wait: again for each run of an iterative sequence
	deadline time.Time // zero for none
	// turn tells that waiting is over: with a function, it is the first of its batch and runs it; with nil, it has ended.
	turn chan func()
	// batch is what a Dynamic runs it in, until that has run.
	batch *batch
	// sequence is what it belongs to; nil where requests do not belong together.
	sequence *sequence
	number   uint64         // of its arrival
	wired    bool           // its request carries the state of its sequence
	bare     *infer.Request // it, before that
	goesOn   bool           // it waits for another turn; only its own goroutine looks
	// before is closed when the answer to the request that came before has left, left when this one's has; nil where
	// answers need not be in order.
	before, left chan struct{}
	// stranded is why there will be no answer: what it runs in was given up. Its call is not to be touched then.
	stranded error
}

func newWaiter(ctx context.Context, r *infer.Request, sink infer.Sink) *waiter {
	now := time.Now()
	w := &waiter{ctx: ctx, arrived: now, since: now, turn: make(chan func(), 1)}
	w.call.start(ctx, r, sink)
	return w
}

// next is the next moment at which this request itself changes what may run; false when there is none.
func (w *waiter) next(now time.Time, delay time.Duration) (in time.Duration, ok bool) {
	if delay > 0 {
		in = w.arrived.Add(delay).Sub(now)
	}
	if !w.deadline.IsZero() {
		if left := w.deadline.Sub(now); left > 0 && (in <= 0 || left < in) {
			in = left
		}
	}
	return in, in > 0
}

// order makes the answer leave after that of the request that came before; nil when that has nobody before it.
func (w *waiter) order(before chan struct{}) {
	w.before, w.left, w.call.before = before, make(chan struct{}), before
}

// line is what a waiter waits in.
type line interface {
	// wake sees to all that is due.
	wake()
	// leave takes a request out, if it is still there, because its client has gone.
	leave(w *waiter)
}

// await waits until the request has been run or has left the line, and delivers its answer. Where the request itself
// changes what is due at some moment, it wakes the line.
func (w *waiter) await(l line, delay time.Duration, timers Timers) error {
	if in, ok := w.next(w.arrived, delay); ok {
		var alarm Timer
		alarm = timers.of(func() {
			l.wake()
			if in, ok := w.next(time.Now(), delay); ok {
				alarm.Reset(in)
			}
		})
		defer alarm.Stop()
		alarm.Reset(in)
	}
	cancelled := w.ctx.Done()
	for {
		select {
		case run := <-w.turn:
			if run != nil {
				run()
			}
			if w.goesOn {
				w.goesOn = false
				continue
			}
			if w.stranded != nil {
				return w.strand()
			}
			return w.deliver()
		case <-cancelled:
			cancelled = nil
			l.leave(w)
		}
	}
}

// end answers a request that leaves the line unserved.
func (w *waiter) end(err error) {
	w.call.Fail(err)
	w.turn <- nil
}

// deliver hands the answer on, in its turn where answers are ordered.
func (w *waiter) deliver() error {
	if w.left == nil {
		return w.call.deliver()
	}
	if w.before != nil {
		select {
		case <-w.before:
		case <-w.ctx.Done():
			go pass(w.before, w.left)
			w.call.discard()
			return infer.Errorf(infer.Cancelled, "request was cancelled while its answer waited for those before it: %v", context.Cause(w.ctx))
		}
	}
	defer close(w.left)
	return w.call.deliver()
}

// strand is the end of a request whose execution was given up.
func (w *waiter) strand() error {
	w.call.abandon(w.stranded)
	if w.left != nil {
		go pass(w.before, w.left)
	}
	return w.stranded
}

// pass lets those behind a request that has no answer go when those before it have gone.
func pass(before, left chan struct{}) {
	if before != nil {
		<-before
	}
	close(left)
}
