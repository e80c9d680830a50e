package sched

import (
	"context"
	"sync"
)

// batch is requests that were chosen to run together, and where. One of them, the lead, runs it for all.
type batch struct {
	runner  *runner
	lead    *waiter
	members []*waiter
	calls   []*Call // of the members

	// What follows is guarded by the scheduler's mutex.
	deserted int // members, but for the lead, whose clients have gone
	cancel   context.CancelFunc
	unlead   func() bool // stops listening to the lead's client
}

// batches are those that are over, for their memory.
var batches = sync.Pool{New: func() any { return &batch{} }}

func newBatch(r *runner, size int) *batch {
	b := batches.Get().(*batch)
	b.runner = r
	if cap(b.members) < size {
		b.members, b.calls = make([]*waiter, 0, size), make([]*Call, 0, size)
	}
	return b
}

// leads is what a lead is sent to run its batch.
func leads() {}

// contextOf is what a batch runs under: a lone request's own context; otherwise one that ends when the clients of all
// members have gone.
func (d *Dynamic) contextOf(b *batch) context.Context {
	if len(b.members) == 1 {
		return b.lead.ctx
	}
	ctx := context.WithoutCancel(b.lead.ctx)
	for _, w := range b.members {
		if w.ctx.Done() == nil {
			return ctx // it never goes
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	b.cancel = cancel
	b.abandon()
	return ctx
}

// desert notes that a member's client has gone. The lead's is not noted here: it does nothing but run.
func (b *batch) desert() {
	b.deserted++
	b.abandon()
}

// abandon leaves it to the lead's client alone whether the batch goes on, when all others have gone.
func (b *batch) abandon() {
	if b.cancel != nil && b.unlead == nil && b.deserted == len(b.members)-1 {
		b.unlead = context.AfterFunc(b.lead.ctx, b.cancel)
	}
}

// end is when it has run: a client that leaves now changes nothing.
func (b *batch) end() {
	if b.unlead != nil {
		b.unlead()
	}
	if b.cancel != nil {
		b.cancel()
	}
	for _, w := range b.members {
		w.batch = nil
	}
}

// tell lets the members go, and ends the batch's own life.
func (b *batch) tell() {
	for _, w := range b.members {
		if w != b.lead {
			w.turn <- nil
		}
	}
	clear(b.members)
	clear(b.calls)
	*b = batch{members: b.members[:0], calls: b.calls[:0]}
	batches.Put(b)
}
