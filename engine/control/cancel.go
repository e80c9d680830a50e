package control

import (
	"context"
	"errors"
	"slices"
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// newer ends a load because a newer order for the same model has come.
type newer string

func (n newer) Error() string { return string(n) }

const (
	byUnload newer = "an unload came before it was done"
	byLoad   newer = "a newer load came before it was done"
	bySave   newer = "its files were saved again before it was done"
	byStop   newer = "it was stopped"
)

// superseded says whether a newer order ended ctx: whoever gave that order tells how it ends.
func superseded(ctx context.Context) bool {
	var n newer
	return errors.As(context.Cause(ctx), &n)
}

// ticket is a model's place in an operation that runs or waits for its turn. A newer order for the model ends it.
type ticket struct {
	ctx   context.Context
	end   context.CancelCauseFunc
	run   *run
	order order
	// disk is how the model's folder looked when the order was given.
	disk look
	// derived: the operation loads the model because an ensemble is made of it, or looks at it again because it is that ensemble.
	derived bool
	parts   []string      // of a model that is loaded; known once the operation is planned
	queued  bool          // it stands in the model's line
	settled bool          // what it asked for is done, and the ensembles made of it are known
	done    chan struct{} // closed when the order has been carried out
}

// run is an operation from the order to its end.
type run struct {
	m       *Manager
	ctx     context.Context
	end     context.CancelCauseFunc
	letGo   func() bool // of the context of the one who gave the orders
	orders  map[string]order
	tickets map[string]*ticket // Manager.mu guards it, and the tickets' parts
	place   *place
	ended   []*ticket     // of other runs, by the orders of this one
	over    chan struct{} // closed when the operation is
}

// enlist begins an operation: from here on it counts as under way, and what it makes needless is ended. It is nil when the
// Manager closes. Loads are given up when ctx ends.
func (m *Manager) enlist(ctx context.Context, orders map[string]order) *run {
	if !m.begin() {
		return nil
	}
	r := &run{m: m, orders: orders, tickets: map[string]*ticket{}, over: make(chan struct{})}
	r.ctx, r.end = context.WithCancelCause(m.life)
	r.letGo = context.AfterFunc(ctx, func() { r.end(context.Cause(ctx)) })
	listing := m.o.Library.Current()
	m.mu.Lock()
	defer m.mu.Unlock()
	r.place = m.locks.stand() // with the tickets, so that the orders are carried out as they came
	for name, o := range orders {
		disk := m.diskLook(listing, name)
		r.ended = append(r.ended, m.supersede(name, o, disk)...)
		r.add(name, &ticket{order: o, disk: disk})
	}
	return r
}

// add gives a ticket. m.mu is held.
func (r *run) add(name string, t *ticket) *ticket {
	t.run, t.done = r, make(chan struct{})
	if t.queued = t.order.inTurn(); t.queued {
		r.m.locks.join(r.place, name)
	}
	t.ctx, t.end = context.WithCancelCause(r.ctx)
	r.tickets[name] = t
	r.m.tickets[name] = append(r.m.tickets[name], t)
	return t
}

// close gives all tickets back.
func (r *run) close() {
	r.m.mu.Lock()
	for name, t := range r.tickets {
		t.end(nil)
		rest := slices.DeleteFunc(r.m.tickets[name], func(other *ticket) bool { return other == t })
		if len(rest) == 0 {
			delete(r.m.tickets, name)
		} else {
			r.m.tickets[name] = rest
		}
		r.m.dropUnknown(name)
	}
	r.m.mu.Unlock()
	r.letGo()
	r.end(nil)
	close(r.over)
	r.m.work.Done()
}

// supersede ends the loads of a model that a newer order makes needless, and gives their tickets. A load of the same files in the
// same way goes on: the newer one waits for it. m.mu is held.
func (m *Manager) supersede(name string, o order, disk look) (ended []*ticket) {
	why := bySave
	switch {
	case o.action == unload:
		why = byUnload
	case o.explicit:
		why = byLoad
	}
	for _, t := range m.tickets[name] {
		if t.order.action != unload && !t.answers(o, disk) {
			t.end(why)
			ended = append(ended, t)
		}
	}
	return ended
}

// answers says whether a load that is under way is what a newer order asks for.
func (t *ticket) answers(o order, disk look) bool {
	if o.action == unload || o.force || o.given != nil || t.order.given != nil || t.disk != disk {
		return false
	}
	return o.override == nil || t.order.override != nil && *o.override == *t.order.override
}

// plan gives tickets to what an operation touches beside its orders. An ensemble whose load was ended by this operation needs
// those of its models no more that this one does not load.
func (r *run) plan(op *operation) {
	m := r.m
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range op.nodes {
		r.take(n)
	}
	for _, t := range r.ended {
		t.run.release(t, op)
	}
	for _, t := range r.tickets {
		if superseded(t.ctx) { // before it was known what it is made of
			r.release(t, nil)
		}
	}
}

// take gives a node its ticket. m.mu is held.
func (r *run) take(n *node) {
	t := r.tickets[n.name]
	if t == nil {
		t = r.add(n.name, &ticket{order: n.order, disk: r.m.diskLook(n.listing, n.name), derived: true})
	}
	t.parts, n.ctx = n.parts, t.ctx
}

// admit gives a ticket to a node that was added while the operation runs.
func (r *run) admit(n *node) {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.take(n)
}

// madeOf notes what a model of this operation is made of.
func (r *run) madeOf(name string, parts []string) {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.tickets[name].parts = parts
}

// settle notes that a model is as its order wants it, and gives the ensembles that have to be looked at for it.
func (r *run) settle(name string) []string {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.tickets[name].settled = true
	return r.m.madeOf(name)
}

// finish says that the order for a model has been carried out: whoever stands behind it may go.
func (r *run) finish(name string) {
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	t := r.tickets[name]
	if t.queued {
		r.m.locks.leave(r.place, name)
	}
	t.settled = true
	close(t.done)
}

// pending says whether an order for a model waits for its turn or is being carried out. m.mu is held.
func (m *Manager) pending(name string) bool {
	return slices.ContainsFunc(m.tickets[name], func(t *ticket) bool { return t.queued && t.ctx.Err() == nil && !t.settled })
}

// isOrdered says whether an order for an ensemble waits for its turn, or will come since its files have changed.
func (m *Manager) isOrdered(n *node) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending(n.name) || m.coming[n.name] > 0 {
		return true
	}
	found := m.find(n.listing, n.name)
	if n.listing == m.followed || len(found) == 0 || !m.follows(m.entries[n.name]) {
		return false
	}
	_, due := m.changeOf(n.name, found)
	return due
}

// lookAgain looks at an ensemble whose load was given up because that of one of its models was. Whoever gave the newer
// order for that model looks at the ensemble, too, unless the order was carried out before the ensemble was known to be wanted.
func (m *Manager) lookAgain(n *node) {
	m.mu.Lock()
	waits := slices.ContainsFunc(n.parts, m.pending)
	m.mu.Unlock()
	if waits {
		return
	}
	if r := m.enlist(m.life, map[string]order{n.name: {action: check}}); r != nil {
		go r.carryOut()
	}
}

// release ends the loads that were begun for an ensemble that nobody waits for any more. m.mu is held.
func (r *run) release(of *ticket, needed *operation) {
	for _, part := range of.parts {
		t := r.tickets[part]
		if t == nil || !t.derived || t.ctx.Err() != nil || r.needs(part) {
			continue
		}
		if needed != nil && needed.nodes[part] != nil && needed.nodes[part].order.action == loadModel {
			continue
		}
		t.end(context.Cause(of.ctx))
		r.release(t, needed)
	}
}

// needs says whether a load of this run that goes on is made of a model. m.mu is held.
func (r *run) needs(part string) bool {
	for _, t := range r.tickets {
		if t.order.action == loadModel && t.ctx.Err() == nil && slices.Contains(t.parts, part) {
			return true
		}
	}
	return false
}

// diskLook is how the folder of a model looks.
func (m *Manager) diskLook(l *Listing, key string) look {
	if found := m.find(l, key); len(found) == 1 {
		return lookAt(&found[0], "")
	}
	return look{}
}

// newest is the newest order for a model that is under way and was not ended; nil when there is none. m.mu is held.
func (m *Manager) newest(key string) *ticket {
	list := m.tickets[key]
	for i := len(list) - 1; i >= 0; i-- {
		if t := list[i]; t.ctx.Err() == nil && t.order.action != check {
			return t
		}
	}
	return nil
}

// givenUp stands down when a newer order has come for a model, or for one that it waited for: what was loaded stays as it is.
func (op *operation) givenUp(n *node) bool {
	switch {
	case superseded(n.ctx):
		op.standDown(n, failure{stage: load, err: op.m.cancelled(n.ctx, n.name)})
	case n.superseded != nil:
		op.standDown(n, *n.superseded)
		op.m.lookAgain(n)
	default:
		return false
	}
	return true
}

// standDown ends a load that is no failure of its model.
func (op *operation) standDown(n *node, why failure) {
	m := op.m
	if n.order.action == loadModel {
		m.want(n) // so that whoever loads what it is made of looks at it too
	}
	why.superseded, why.stopped = true, why.stopped || errors.Is(context.Cause(n.ctx), byStop)
	n.failure = &why
	m.mu.Lock()
	if e := m.entries[n.name]; e != nil {
		e.phase, e.loading, e.stoodDown = "", time.Time{}, true
		for _, number := range e.numbers() {
			if e.status[number].State == model.Loading {
				e.set(number, Status{State: model.Unavailable, Reason: model.Unloaded})
			}
		}
		if why.stopped {
			op.noteStopped(n, e)
		}
	}
	m.mu.Unlock()
	m.log.Info("a load was given up", "model", n.name, "reason", why.text())
	m.hub.changed(n.name)
}

// cancelled is how a load ends whose context has.
func (m *Manager) cancelled(ctx context.Context, key string) error {
	if m.life.Err() != nil {
		return infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled: %v", key, context.Cause(ctx))
}
