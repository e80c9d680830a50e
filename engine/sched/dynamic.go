package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
)

// Dynamic is Triton's dynamic batcher (triton-runtime D4): requests that arrive together run together, by priority,
// and those that wait too long are told so.
//
// It differs from Triton where only time shows it: a batch is put together when an instance is free for it, never
// ahead, and a timeout is told when it passes, not at the next look into the queue.
type Dynamic struct {
	rules Batching
	gauge Gauge
	// limited: there is a rate limiter.
	limited bool

	mu    sync.Mutex // guards what follows
	queue queue
	idle  []*runner // that may run at once
	// waiting are those that must ask the rate limiter first, or have asked.
	waiting []*runner
	last    chan struct{} // closed when the answer to the newest request has left; nil unless answers are ordered
}

// runner is an instance that runs batches.
type runner struct {
	executor Executor
	claim    *Claim // nil: it may run whenever it is idle
	asking   bool
}

// batch is requests that were chosen to run together, and where. The first of them runs it for all.
type batch struct {
	runner  *runner
	members []*waiter
}

var _ infer.Handler = (*Dynamic)(nil)

// NewDynamic makes a scheduler over the instances.
func NewDynamic(executors []Executor, rules Batching, gauge Gauge) *Dynamic {
	d := &Dynamic{rules: rules, gauge: gauge, queue: newQueue(&rules)}
	for _, e := range executors {
		if license := licenseOf(e); license != nil {
			d.waiting = append(d.waiting, &runner{executor: e, claim: license.NewClaim()})
		} else {
			d.idle = append(d.idle, &runner{executor: e})
		}
	}
	d.limited = len(d.waiting) > 0
	return d
}

// Infer queues the request until it has been run, in a batch of one or more, or has left the queue.
func (d *Dynamic) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	w := newWaiter(ctx, r, sink)
	if err := d.enqueue(w); err != nil {
		return err
	}
	return w.await(d, d.rules.MaxDelay)
}

func (d *Dynamic) enqueue(w *waiter) error {
	d.mu.Lock()
	err := d.queue.push(w)
	if err == nil && d.rules.Ordered {
		w.before, w.left = d.last, make(chan struct{})
		d.last = w.left
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	d.gauge.Queued(1)
	d.wake()
	return nil
}

// wake sends away what has waited too long, and off every batch that is ready and has an instance.
func (d *Dynamic) wake() {
	for {
		d.mu.Lock()
		now := time.Now()
		rejected := d.queue.expire(now)
		b := d.next(now)
		var unused unused
		if b == nil && d.limited {
			unused = d.rest(now)
		}
		d.mu.Unlock()
		for _, w := range rejected {
			d.gauge.Queued(-1)
			w.end(&infer.Error{Code: infer.Unavailable, Message: "Request timeout expired", Fate: infer.Expired})
		}
		if b == nil {
			if d.settle(unused) {
				continue
			}
			return
		}
		d.gauge.Queued(-int64(len(b.members)))
		b.members[0].turn <- func() { d.run(b) }
	}
}

// next takes the next batch out of the queue, or nil when there is none to run now. d.mu is held.
func (d *Dynamic) next(now time.Time) *batch {
	if len(d.idle) == 0 && len(d.waiting) == 0 {
		return nil
	}
	n := d.rules.choose(now, d.queue.inOrder()...)
	if n == 0 {
		return nil
	}
	r := d.take()
	if r == nil {
		return nil
	}
	b := &batch{runner: r, members: d.queue.pop(n)}
	for _, w := range b.members {
		w.call.Queue = now.Sub(w.since)
	}
	return b
}

// take takes an instance for a batch, or nil when none may run now. d.mu is held.
func (d *Dynamic) take() *runner {
	if last := len(d.idle) - 1; last >= 0 {
		r := d.idle[last]
		d.idle = d.idle[:last]
		return r
	}
	return d.ask()
}

// run executes a batch for all its members and gives the instance back.
func (d *Dynamic) run(b *batch) {
	calls := make([]*Call, len(b.members))
	for i, w := range b.members {
		calls[i] = &w.call
	}
	ctx := b.members[0].ctx
	if len(b.members) > 1 {
		ctx = context.WithoutCancel(ctx) // the others still want their answers when this client goes
	}
	b.runner.executor.Execute(ctx, calls)
	d.giveBack(b.runner)
	for _, w := range b.members[1:] {
		w.turn <- nil
	}
	d.wake()
}

func (d *Dynamic) giveBack(r *runner) {
	if r.claim != nil {
		d.giveBackLimited(r)
		return
	}
	d.mu.Lock()
	d.idle = append(d.idle, r)
	d.mu.Unlock()
}

// leave takes a request out of the queue, if it is still there, because its client has gone.
func (d *Dynamic) leave(w *waiter) {
	d.mu.Lock()
	there := d.queue.remove(w)
	d.mu.Unlock()
	if there {
		d.gauge.Queued(-1)
		w.end(gone(w.ctx))
		d.wake() // those behind it may fit together
	}
}
