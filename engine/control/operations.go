package control

import (
	"context"
	"slices"

	"conch/engine/infer"
)

// operations begins the operations of a Manager and ends those that newer orders make useless. state
// holds the ones that are under way.
type operations struct {
	*core
	locks   *nameLocks
	definer *definer
	changer *changer
	exits   *exits
}

// carryOut runs orders to their end and returns the failures by name. Other operations on the same models
// wait; their loads are ended if these orders make them useless. Loads are stopped when ctx ends.
func (ops *operations) carryOut(ctx context.Context, orders map[string]order) (map[string]*failure, error) {
	r := ops.enlist(ctx, orders)
	if r == nil {
		return nil, infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return r.carryOut(), nil
}

// enlist begins an operation: from now on it counts as under way, and loads that it makes useless
// are ended. It returns nil when the Manager closes. Loads are stopped when ctx ends.
func (ops *operations) enlist(ctx context.Context, orders map[string]order) *run {
	if !ops.begin() {
		return nil
	}
	r := &run{core: ops.core, ops: ops, orders: orders, over: make(chan struct{})}
	r.ctx, r.end = context.WithCancelCause(ops.life)
	r.letGo = context.AfterFunc(ctx, func() { r.end(context.Cause(ctx)) })
	listing := ops.o.Models.Current()
	s := ops.state.Lock()
	defer ops.state.Unlock()
	r.place = ops.locks.stand(askerOf(ctx)) // together with the tickets, so that the orders run in the order in which they came
	for key, o := range orders {
		disk := s.look(listing, key)
		r.ended = append(r.ended, s.orders.supersede(key, o, disk)...)
		r.add(s, key, &ticket{order: o, disk: disk})
	}
	return r
}

// stop ends the loads of a name that are under way or wait for their turn, and returns their
// tickets.
func (ops *operations) stop(name string) (stopped []*ticket) {
	s := ops.state.Lock()
	defer ops.state.Unlock()
	for _, key := range ops.names.called(name) {
		stopped = append(stopped, s.orders.stop(key)...)
	}
	return stopped
}

// loads reports whether a load of a model is under way or waits for its turn.
func (ops *operations) loads(key string) bool {
	s := ops.state.Lock()
	defer ops.state.Unlock()
	return s.orders.underWay(key, loadModel)
}

// lookAgain checks an ensemble whose load was stopped because the load of one of its models was
// stopped. The newer order for that model checks the ensemble too, unless it was carried out before
// the ensemble was wanted.
func (ops *operations) lookAgain(n *node) {
	s := ops.state.Lock()
	waits := slices.ContainsFunc(n.parts, s.orders.pending)
	ops.state.Unlock()
	if waits {
		return
	}
	if r := ops.enlist(ops.life, map[string]order{n.name: {action: check}}); r != nil {
		go r.carryOut()
	}
}

// failedAfter waits for the newer orders for a model whose load was ended, and reports whether the
// model is wanted and does not serve.
func (ops *operations) failedAfter(key string) bool {
	for {
		newest, failed := ops.outcome(key)
		if newest == nil {
			return failed
		}
		<-newest.run.over
	}
}

// outcome returns the newest order for a model. If there is none, it reports whether the model is
// wanted and does not serve.
func (ops *operations) outcome(key string) (newest *ticket, failed bool) {
	s := ops.state.Lock()
	defer ops.state.Unlock()
	if newest = s.orders.newest(key); newest != nil {
		return newest, false
	}
	e := s.models.entries[key]
	return nil, e != nil && e.wanted && len(e.serving) == 0
}
