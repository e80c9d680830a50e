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
	// turn ends the waiting. With a function, the waiter is the first of its batch and runs it. With nil, the request
	// has ended.
	turn chan func()
	// batch is the batch of a Dynamic that runs it, until that has run.
	batch *batch
	// sequence is its sequence; nil where there are no sequences.
	sequence *sequence
	number   uint64         // of its arrival
	wired    bool           // its request carries the state of its sequence
	bare     *infer.Request // the request without the state
	goesOn   bool           // it waits for another turn; only its own goroutine reads this
	// before is closed when the answer to the earlier request is sent, left when this one's is sent; nil where
	// answers are not ordered.
	before, left chan struct{}
	// stranded is the error when its batch was given up, so that there is no answer. Nobody may use its call
	// then.
	stranded error
}

func newWaiter(ctx context.Context, r *infer.Request, sink infer.Sink) *waiter {
	now := time.Now()
	w := &waiter{ctx: ctx, arrived: now, since: now, turn: make(chan func(), 1)}
	w.call.start(ctx, r, sink)
	return w
}

// next returns the next end of this request's delay or timeout; false when there is none.
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

// order makes the answer leave after the answer of the earlier request; nil when there is no earlier one. account counts what
// waits meanwhile.
func (w *waiter) order(before chan struct{}, account func() Account) {
	w.before, w.left = before, make(chan struct{})
	w.call.before, w.call.open, w.call.rooms = before, account, w.call.Request.Rooms
}

// line is a queue of waiters.
type line interface {
	// wake runs and refuses all requests that are due.
	wake()
	// leave removes a request, if it is still queued, because its client left.
	leave(w *waiter)
}

// await waits until the request has run or has left the line, and delivers its answer. It wakes the line when the
// request's own delay or timeout ends.
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

// end answers a request that leaves the line without having run.
func (w *waiter) end(err error) {
	w.call.Fail(err)
	w.turn <- nil
}

// deliver passes the answer on, in order where answers are ordered.
func (w *waiter) deliver() error {
	if w.left == nil {
		return w.call.deliver()
	}
	if w.before != nil {
		w.call.hold()
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

// strand ends a request whose execution was given up.
func (w *waiter) strand() error {
	w.call.abandon(w.stranded)
	if w.left != nil {
		go pass(w.before, w.left)
	}
	return w.stranded
}

// pass closes left when before is closed. So the requests behind one without an answer wait only
// for those before it.
func pass(before, left chan struct{}) {
	if before != nil {
		<-before
	}
	close(left)
}
