package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
)

// Dynamic is Triton's dynamic batcher (docs/triton/schedulers.md, "Dynamic batching"): requests
// that wait at the same time run together, by priority. Requests that wait too long are refused.
//
// It differs from Triton only in time. It forms a batch when an instance is free for it, never
// ahead. It reports a timeout when the time is over, not at the next look into the queue.
type Dynamic struct {
	rules Batching
	gauge Gauge
	// limited is true when there is a rate limiter.
	limited bool
	// answered keeps the memory of finished waiters for new ones.
	answered sync.Pool

	mu    sync.Mutex // guards what follows
	queue queue
	all   []*runner
	idle  []*runner // they may run at once
	// waiting are the instances that must ask the rate limiter first, or have asked.
	waiting []*runner
	last    chan struct{} // closed when the answer to the newest request is sent; nil unless answers are ordered
	alarm   Timer         // for delays and timeouts
	ringsAt time.Time     // zero when it is not set
	dead    error         // why nothing runs any more, when every instance was given up
}

// runner is an instance that runs batches.
type runner struct {
	executor Executor
	eager    bool   // calls wait in it, too
	claim    *Claim // nil when it may run whenever it is idle
	asking   bool
	at       *batch // what it runs; nil when it is idle
	lost     bool   // its batch was given up
	out      bool   // it is paused
}

var (
	_ infer.Handler = (*Dynamic)(nil)
	_ line          = (*Dynamic)(nil)
)

// NewDynamic makes a scheduler over the instances.
func NewDynamic(executors []Executor, rules Batching, gauge Gauge) *Dynamic {
	d := &Dynamic{rules: rules, gauge: gauge}
	d.queue = newQueue(&d.rules)
	for _, e := range executors {
		r := &runner{executor: e, eager: isEager(e)}
		d.all = append(d.all, r)
		if license := licenseOf(e); license != nil {
			r.claim = license.NewClaim()
			d.waiting = append(d.waiting, r)
		} else {
			d.idle = append(d.idle, r)
		}
	}
	d.limited = len(d.waiting) > 0
	return d
}

// Infer queues the request and returns when it has run, in a batch of one or more, or has left the
// queue.
func (d *Dynamic) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	w := d.waiter(ctx, r, sink)
	d.gauge.Queued(1) // first, because another goroutine may take the request as soon as it is queued
	if err := d.enqueue(w); err != nil {
		d.gauge.Queued(-1)
		return err
	}
	if r.Queued != nil {
		r.Queued()
	}
	if own := d.start(w); own != nil {
		d.run(own) // no other goroutine had to wake up for it
	} else {
		d.await(w)
	}
	if w.stranded != nil {
		return w.strand()
	}
	err := w.deliver()
	d.forget(w)
	return err
}

func (d *Dynamic) waiter(ctx context.Context, r *infer.Request, sink infer.Sink) *waiter {
	w, ok := d.answered.Get().(*waiter)
	if !ok {
		return newWaiter(ctx, r, sink)
	}
	w.call.start(ctx, r, sink)
	w.ctx, w.since = ctx, time.Now()
	return w
}

// forget keeps a waiter's memory for another request, unless a later answer may still wait for this
// one.
func (d *Dynamic) forget(w *waiter) {
	if w.left == nil {
		*w = waiter{turn: w.turn}
		d.answered.Put(w)
	}
}

func (d *Dynamic) enqueue(w *waiter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead != nil {
		return d.dead
	}
	if err := d.queue.push(w); err != nil {
		return err
	}
	if d.rules.Ordered {
		w.order(d.last, d.rules.Account)
		d.last = w.left
	}
	return nil
}

// await waits until somebody has run the request, or until this waiter is the lead of a batch and
// runs it.
func (d *Dynamic) await(w *waiter) {
	cancelled := w.ctx.Done()
	for {
		select {
		case run := <-w.turn:
			if run != nil {
				d.run(w.batch)
			}
			return
		case <-cancelled:
			cancelled = nil
			d.leave(w)
		}
	}
}

// wake runs and refuses all requests that are due.
func (d *Dynamic) wake() { d.start(nil) }

// start refuses the requests that waited too long, and starts every batch that is ready and has an instance. It
// returns the batch that w is in, if any: the caller runs it, since its goroutine is awake already.
func (d *Dynamic) start(w *waiter) (own *batch) {
	for {
		d.mu.Lock()
		now := time.Now()
		rejected := d.queue.expire(now)
		b := d.next(now, w)
		var unused unused
		if b == nil {
			d.arm(now)
			if d.limited {
				unused = d.rest(now)
			}
		}
		d.mu.Unlock()
		for _, late := range rejected {
			d.gauge.Queued(-1)
			late.end(&infer.Error{Code: infer.Unavailable, Message: "Request timeout expired", Fate: infer.Expired})
		}
		switch {
		case b == nil && d.settle(unused):
		case b == nil:
			return own
		case b.lead == w:
			d.leaves(b)
			own = b
		default:
			d.leaves(b)
			b.lead.turn <- leads
		}
	}
}

// next takes the next batch out of the queue. It returns nil when none can run now. d.mu is held.
func (d *Dynamic) next(now time.Time, awake *waiter) *batch {
	if len(d.idle) == 0 && len(d.waiting) == 0 {
		return nil
	}
	n := d.queue.choose(now)
	if n == 0 {
		return nil
	}
	r := d.take()
	if r == nil {
		return nil
	}
	b := newBatch(r, n)
	r.at = b
	b.members = d.queue.pop(n, b.members)
	b.lead = b.members[0]
	for _, w := range b.members {
		w.batch = b
		w.call.Queue, w.call.since = now.Sub(w.since), w.since
		if r.eager {
			w.call.gauge = d.gauge
		}
		b.calls = append(b.calls, &w.call)
		if w == awake {
			b.lead = w
		}
	}
	return b
}

// leaves counts a batch as out of the queue, unless it waits on in its instance.
func (d *Dynamic) leaves(b *batch) {
	if !b.runner.eager {
		d.gauge.Queued(-int64(len(b.members)))
	}
}

// take returns an instance for a batch, or nil when none may run now. d.mu is held.
func (d *Dynamic) take() *runner {
	if last := len(d.idle) - 1; last >= 0 {
		r := d.idle[last]
		d.idle = d.idle[:last]
		return r
	}
	return d.ask()
}

// arm sets the alarm to the next end of a delay or a timeout. d.mu is held.
func (d *Dynamic) arm(now time.Time) {
	delay := d.rules.MaxDelay
	if len(d.idle) == 0 && len(d.waiting) == 0 {
		delay = 0 // the instance that comes back looks into the queue itself
	}
	at := d.queue.next(now, delay)
	if at.IsZero() || d.ringsAt.After(now) && !at.Before(d.ringsAt) {
		return
	}
	d.ringsAt = at
	if d.alarm == nil {
		d.alarm = d.rules.Timers.of(d.wake)
	}
	d.alarm.Reset(at.Sub(now))
}

// run executes a batch for all its members and gives the instance back.
func (d *Dynamic) run(b *batch) {
	b.runner.executor.Execute(d.contextOf(b), b.calls)
	for _, c := range b.calls {
		c.waitsNoMore()
	}
	if d.giveBack(b) {
		b.forgetStranded()
		return
	}
	d.wake() // the next batch does not wait until all members are told
	b.tell()
}

// giveBack lets the instance run the next batch. It returns true when the instance was given up.
func (d *Dynamic) giveBack(b *batch) (lost bool) {
	d.mu.Lock()
	b.end()
	r := b.runner
	r.at = nil
	if r.lost {
		d.mu.Unlock()
		return true
	}
	switch {
	case r.out && r.claim == nil:
		d.mu.Unlock()
		return false
	case r.out:
		d.mu.Unlock()
		r.claim.Return(true)
		return false
	case r.claim == nil:
		d.idle = append(d.idle, r)
		d.mu.Unlock()
		return false
	}
	renew := d.queueUp(r)
	d.mu.Unlock()
	renew()
	return false
}

// leave removes a request of a client that left from the queue. If the request runs already, the batch may have lost
// its last client.
func (d *Dynamic) leave(w *waiter) {
	d.mu.Lock()
	there := d.queue.remove(w)
	if !there && w.batch != nil && w.batch.lead != w { // abandon listens to the lead's client itself
		w.batch.desert()
	}
	d.mu.Unlock()
	if there {
		d.gauge.Queued(-1)
		w.end(Gone(w.ctx))
		d.wake() // the requests behind it may fit together
	}
}
