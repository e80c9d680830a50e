package control

import (
	"context"
	"slices"

	"conch/engine/infer"
)

// operations begins the operations of a Manager and ends those that newer orders make needless. Which
// are under way is in state.
type operations struct {
	*core
	locks   *nameLocks
	planner *planner
	changer *changer
	exits   *exits
}

// carryOut runs orders to their end and gives the failures by name. Other operations on the same models wait;
// their loads are ended where these orders make them needless. Loads are given up when ctx ends.
func (ops *operations) carryOut(ctx context.Context, orders map[string]order) (map[string]*failure, error) {
	r := ops.enlist(ctx, orders)
	if r == nil {
		return nil, infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return r.carryOut(), nil
}

// enlist begins an operation: from here on it counts as under way, and what it makes needless is
// ended. It is nil when the Manager closes. Loads are given up when ctx ends.
func (ops *operations) enlist(ctx context.Context, orders map[string]order) *run {
	if !ops.begin() {
		return nil
	}
	r := &run{core: ops.core, ops: ops, orders: orders, over: make(chan struct{})}
	r.ctx, r.end = context.WithCancelCause(ops.life)
	r.letGo = context.AfterFunc(ctx, func() { r.end(context.Cause(ctx)) })
	listing := ops.o.Library.Current()
	s := ops.state.lock()
	defer ops.state.unlock()
	r.place = ops.locks.stand() // with the tickets, so that the orders are carried out as they came
	for key, o := range orders {
		disk := ops.names.look(listing, key)
		r.ended = append(r.ended, s.orders.supersede(key, o, disk)...)
		r.add(s, key, &ticket{order: o, disk: disk})
	}
	return r
}

// stop ends the loads of a name that are under way or wait for their turn, and gives their tickets.
func (ops *operations) stop(name string) (stopped []*ticket) {
	s := ops.state.lock()
	defer ops.state.unlock()
	for _, key := range ops.names.called(name) {
		stopped = append(stopped, s.orders.stop(key)...)
	}
	return stopped
}

// lookAgain looks at an ensemble whose load was given up because that of one of its models was.
// Whoever gave the newer order for that model looks at the ensemble, too, unless the order was carried
// out before the ensemble was known to be wanted.
func (ops *operations) lookAgain(n *node) {
	s := ops.state.lock()
	waits := slices.ContainsFunc(n.parts, s.orders.pending)
	ops.state.unlock()
	if waits {
		return
	}
	if r := ops.enlist(ops.life, map[string]order{n.name: {action: check}}); r != nil {
		go r.carryOut()
	}
}

// failedAfter waits for the newer orders for a model whose load was ended, and says whether it is
// wanted and does not serve.
func (ops *operations) failedAfter(key string) bool {
	for {
		newest, failed := ops.outcome(key)
		if newest == nil {
			return failed
		}
		<-newest.run.over
	}
}

// outcome is the newest order for a model; where there is none, it says whether the model is wanted
// and does not serve.
func (ops *operations) outcome(key string) (newest *ticket, failed bool) {
	s := ops.state.lock()
	defer ops.state.unlock()
	if newest = s.orders.newest(key); newest != nil {
		return newest, false
	}
	e := s.models.entries[key]
	return nil, e != nil && e.wanted && len(e.serving) == 0
}
