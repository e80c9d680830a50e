package control

import "context"

// run is an operation from the order to its end.
type run struct {
	*core
	ops    *operations
	ctx    context.Context
	end    context.CancelCauseFunc
	letGo  func() bool // of the context of the one who gave the orders
	orders map[string]order
	place  *place
	ended  []*ticket     // of other runs, by the orders of this one
	over   chan struct{} // closed when the operation is
}

// carryOut carries the orders out and gives the failures by name.
func (r *run) carryOut() map[string]*failure {
	defer r.close()
	op := prepare(r)
	r.plan(op)
	op.run()
	nodes := op.nodes.lock()
	defer op.nodes.unlock()
	r.retire(nodes)
	failures := map[string]*failure{}
	for name, n := range nodes.byName {
		if n.failure != nil {
			failures[name] = n.failure
		}
	}
	return failures
}

// add gives a ticket.
func (r *run) add(s *state, key string, t *ticket) *ticket {
	t.run, t.done = r, make(chan struct{})
	if t.queued = t.order.inTurn(); t.queued {
		r.ops.locks.join(r.place, key)
	}
	t.ctx, t.end = context.WithCancelCause(r.ctx)
	s.orders.add(key, t)
	return t
}

// take gives a node its ticket.
func (r *run) take(s *state, n *node) {
	t := s.orders.byRun[r][n.name]
	if t == nil {
		t = r.add(s, n.name, &ticket{order: n.order, disk: r.names.look(n.listing, n.name), derived: true})
	}
	t.parts, n.ctx = n.parts, t.ctx
}

// plan gives tickets to what an operation touches beside its orders. An ensemble whose load was ended
// by this operation does not need those of its models any more that this one does not load.
func (r *run) plan(op *operation) {
	nodes := op.nodes.lock()
	defer op.nodes.unlock()
	s := r.state.lock()
	defer r.state.unlock()
	for _, n := range nodes.byName {
		r.take(s, n)
	}
	for _, t := range r.ended {
		s.orders.release(t, nodes.loads)
	}
	for _, t := range s.orders.byRun[r] {
		if superseded(t.ctx) { // before it was known what it is made of
			s.orders.release(t, nobodys)
		}
	}
}

// admit gives a ticket to a node that was added while the operation runs.
func (r *run) admit(n *node) {
	s := r.state.lock()
	defer r.state.unlock()
	r.take(s, n)
}

// madeOf notes what a model of this operation is made of.
func (r *run) madeOf(key string, parts []string) {
	s := r.state.lock()
	defer r.state.unlock()
	s.orders.byRun[r][key].parts = parts
}

// settle notes that a model is as its order wants it, and gives the ensembles that have to be looked at for it.
func (r *run) settle(key string) []string {
	s := r.state.lock()
	defer r.state.unlock()
	s.orders.byRun[r][key].settled = true
	return s.madeOf(key)
}

// finish says that the order for a model has been carried out: whoever stands behind it may go.
func (r *run) finish(key string) {
	s := r.state.lock()
	defer r.state.unlock()
	t := s.orders.byRun[r][key]
	if t.queued {
		r.ops.locks.leave(r.place, key)
	}
	t.settled = true
	close(t.done)
}

// retire sends what was taken out on its way, ensembles before what they are made of.
func (r *run) retire(all *nodes) {
	parts := all.graph()
	drains := newDrains(parts)
	for _, key := range dependentsFirst(parts) {
		if n := all.byName[key]; len(n.out) > 0 {
			drains.add(key, r.ops.exits.retire(retirement{name: key, versions: n.out, after: drains.of(key), gone: true}))
		}
	}
}

// close gives all tickets back.
func (r *run) close() {
	s := r.state.lock()
	for key, t := range s.orders.byRun[r] {
		t.end(nil)
		s.orders.remove(key, t)
		s.dropUnknown(key)
	}
	r.state.unlock()
	r.letGo()
	r.end(nil)
	close(r.over)
	r.work.Done()
}
