package control

import "context"

// run is an operation from its orders to its end.
type run struct {
	*core
	ops    *operations
	ctx    context.Context
	end    context.CancelCauseFunc
	letGo  func() bool // stops listening to the context of the orders' caller
	orders map[string]order
	place  *place
	ended  []*ticket     // of other runs, by the orders of this one
	over   chan struct{} // closed when the operation is
}

// carryOut carries the orders out and returns the failures by name.
func (r *run) carryOut() map[string]*failure {
	defer r.close()
	op := prepare(r)
	r.ticketAll(op)
	op.run()
	nodes := op.nodes.Lock()
	defer op.nodes.Unlock()
	r.retire(nodes)
	failures := map[string]*failure{}
	for name, n := range nodes.byName {
		if n.failure != nil {
			failures[name] = n.failure
		}
	}
	return failures
}

// add creates a ticket.
func (r *run) add(s *state, key string, t *ticket) *ticket {
	t.run, t.done = r, make(chan struct{})
	if t.queued = t.order.inTurn(); t.queued {
		r.ops.locks.join(r.place, key)
	}
	t.ctx, t.end = context.WithCancelCause(r.ctx)
	s.orders.add(key, t)
	return t
}

// take assigns a node its ticket.
func (r *run) take(s *state, n *node) {
	t := s.orders.byRun[r][n.name]
	if t == nil {
		t = r.add(s, n.name, &ticket{order: n.order, disk: s.look(n.listing, n.name), derived: true})
	}
	t.parts, n.ctx = n.parts, t.ctx
}

// ticketAll creates tickets for the models that an operation changes besides its orders. It also ends
// loads for an ensemble whose load this operation ended: those of models that this operation does not
// load.
func (r *run) ticketAll(op *operation) {
	nodes := op.nodes.Lock()
	defer op.nodes.Unlock()
	s := r.state.Lock()
	defer r.state.Unlock()
	for _, n := range nodes.byName {
		r.take(s, n)
	}
	for _, t := range r.ended {
		s.orders.release(t, nodes.loads)
	}
	for _, t := range s.orders.byRun[r] {
		if superseded(t.ctx) { // before its parts were known
			s.orders.release(t, nobodys)
		}
	}
}

// admit creates a ticket for a node that was added while the operation runs.
func (r *run) admit(n *node) {
	s := r.state.Lock()
	defer r.state.Unlock()
	r.take(s, n)
}

// madeOf records the parts of a model of this operation.
func (r *run) madeOf(key string, parts []string) {
	s := r.state.Lock()
	defer r.state.Unlock()
	s.orders.byRun[r][key].parts = parts
}

// settle records that the order for a model is done, and returns the ensembles that must be checked after it.
func (r *run) settle(key string) []string {
	s := r.state.Lock()
	defer r.state.Unlock()
	s.orders.byRun[r][key].settled = true
	return s.madeOf(key)
}

// finish records that the order for a model has been carried out. The next order in the line may
// begin.
func (r *run) finish(key string) {
	s := r.state.Lock()
	defer r.state.Unlock()
	t := s.orders.byRun[r][key]
	if t.queued {
		r.ops.locks.leave(r.place, key)
	}
	t.settled = true
	close(t.done)
}

// retire drains and frees the versions that were taken out, ensembles before their models.
func (r *run) retire(all *nodes) {
	parts := all.graph()
	drains := newDrains(parts)
	for _, key := range dependentsFirst(parts) {
		if n := all.byName[key]; len(n.out) > 0 {
			drains.add(key, r.ops.exits.retire(retirement{name: key, versions: n.out, after: drains.of(key), gone: true}))
		}
	}
}

// close removes all tickets.
func (r *run) close() {
	s := r.state.Lock()
	for key, t := range s.orders.byRun[r] {
		t.end(nil)
		s.orders.remove(key, t)
		s.dropUnknown(key)
	}
	r.state.Unlock()
	r.letGo()
	r.end(nil)
	close(r.over)
	r.work.Done()
}
