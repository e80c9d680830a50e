package sched

import (
	"context"
	"sync"
)

// batch is a group of requests that run together on an instance. One of them, the lead, runs the batch
// for all.
type batch struct {
	runner  *runner
	lead    *waiter
	members []*waiter
	calls   []*Call // of the members

	// The scheduler's mutex guards the fields below.
	deserted int // members whose clients have left, except the lead
	cancel   context.CancelFunc
	unlead   func() bool // stops listening to the lead's client
}

// batches keeps the memory of finished batches for new ones.
var batches = sync.Pool{New: func() any { return &batch{} }}

func newBatch(r *runner, size int) *batch {
	b := batches.Get().(*batch)
	b.runner = r
	if cap(b.members) < size {
		b.members, b.calls = make([]*waiter, 0, size), make([]*Call, 0, size)
	}
	return b
}

// leads is the function that tells a waiter to run its batch as the lead.
func leads() {}

// contextOf returns the context of a batch. A single request runs under its own context. Otherwise the context ends
// when the clients of all members have left.
func (d *Dynamic) contextOf(b *batch) context.Context {
	if len(b.members) == 1 {
		return b.lead.ctx
	}
	ctx := context.WithoutCancel(b.lead.ctx)
	for _, w := range b.members {
		if w.ctx.Done() == nil {
			return ctx // this client never leaves
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	b.cancel = cancel
	b.abandon()
	return ctx
}

// desert records that a member's client has left. It is not for the lead, which may hear that its own client has left
// before it begins to run the batch.
func (b *batch) desert() {
	b.deserted++
	b.abandon()
}

// abandon lets the lead's client alone decide whether the batch goes on, when all other clients have
// left.
func (b *batch) abandon() {
	if b.cancel != nil && b.unlead == nil && b.deserted == len(b.members)-1 {
		b.unlead = context.AfterFunc(b.lead.ctx, b.cancel)
	}
}

// end is called when the batch has run. A client that leaves now changes nothing.
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

// tell wakes the members and frees the batch.
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
