package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
)

// Batching are the rules by which Dynamic puts requests together.
type Batching struct {
	MaxBatch int64         // items, not requests
	MaxDelay time.Duration // how long the oldest may wait for company
}

// Dynamic runs requests together that arrive together: the scan goes over the queue from its front, never skips
// over a request that does not fit, and never splits one (triton-runtime D4, rules 1 to 3 and 5). Preferred
// sizes are not looked at.
type Dynamic struct {
	rules Batching
	gauge Gauge

	mu    sync.Mutex // guards what follows
	queue []*waiter
	idle  []Executor
}

// batch is requests that were chosen to run together, and where. The first of them runs it for all.
type batch struct {
	executor Executor
	members  []*waiter
}

var _ infer.Handler = (*Dynamic)(nil)

// NewDynamic makes a scheduler over the instances.
func NewDynamic(executors []Executor, rules Batching, gauge Gauge) *Dynamic {
	return &Dynamic{rules: rules, gauge: gauge, idle: executors}
}

// Infer queues the request until it has been run, in a batch of one or more.
func (d *Dynamic) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	w := newWaiter(ctx, r, sink)
	var due <-chan time.Time
	if d.rules.MaxDelay > 0 {
		timer := time.NewTimer(d.rules.MaxDelay)
		defer timer.Stop()
		due = timer.C
	}
	d.enqueue(w)
	cancelled := ctx.Done()
	for {
		select {
		case b := <-w.lead:
			d.run(b)
			return w.call.deliver()
		case <-w.done:
			return w.call.deliver()
		case <-due:
			d.wake()
		case <-cancelled:
			if d.leave(w) {
				return gone(ctx)
			}
			cancelled = nil // already chosen: its batch is on its way
		}
	}
}

func (d *Dynamic) enqueue(w *waiter) {
	d.gauge.Queued(1)
	d.mu.Lock()
	d.queue = append(d.queue, w)
	d.mu.Unlock()
	d.wake()
}

// wake sends off every batch that is ready and has an instance.
func (d *Dynamic) wake() {
	for {
		d.mu.Lock()
		b := d.next(time.Now())
		d.mu.Unlock()
		if b == nil {
			return
		}
		d.gauge.Queued(-int64(len(b.members)))
		b.members[0].lead <- b
	}
}

// next takes the next batch out of the queue, or nil when there is none to run now. d.mu is held.
func (d *Dynamic) next(now time.Time) *batch {
	if len(d.idle) == 0 || len(d.queue) == 0 {
		return nil
	}
	n, full := d.fit()
	if !full && now.Sub(d.queue[0].since) < d.rules.MaxDelay {
		return nil
	}
	last := len(d.idle) - 1
	b := &batch{executor: d.idle[last], members: append([]*waiter(nil), d.queue[:n]...)}
	d.idle = d.idle[:last]
	d.queue = append(d.queue[:0], d.queue[n:]...)
	clear(d.queue[len(d.queue):cap(d.queue)])
	for _, w := range b.members {
		w.call.Queue = now.Sub(w.since)
	}
	return b
}

// fit says how many requests from the front run together, and whether waiting could bring no more.
func (d *Dynamic) fit() (n int, full bool) {
	items := int64(0)
	for _, w := range d.queue {
		size := max(w.call.Request.Batch, 1)
		if n > 0 && (items+size > d.rules.MaxBatch || !alike(d.queue[0].call.Request, w.call.Request)) {
			return n, true
		}
		items += size
		n++
	}
	return n, items >= d.rules.MaxBatch
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
	b.executor.Execute(ctx, calls)
	d.mu.Lock()
	d.idle = append(d.idle, b.executor)
	d.mu.Unlock()
	for _, w := range b.members[1:] {
		close(w.done)
	}
	d.wake()
}

// leave takes a request out of the queue; false when it is no longer there.
func (d *Dynamic) leave(w *waiter) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, other := range d.queue {
		if other == w {
			d.queue = append(d.queue[:i], d.queue[i+1:]...)
			d.gauge.Queued(-1)
			return true
		}
	}
	return false
}
