package control

import (
	"context"
	"errors"
	"slices"
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

// superseded reports whether a newer order ended ctx. That order then reports the result.
func superseded(ctx context.Context) bool {
	var n newer
	return errors.As(context.Cause(ctx), &n)
}

// order is an action on a model.
type order struct {
	action   action
	force    bool    // reload even when nothing changed
	again    bool    // a retry, since the load failed for a temporary reason
	explicit bool    // requested by this model's name
	override *string // the config as JSON; nil keeps the current override while the files are the same
	given    *Found  // a client's files, which replace the folder
	fault    error   // why there are none although the client sent some
}

// brings reports whether a client has sent a config or files with the order.
func (o order) brings() bool { return o.override != nil || o.given != nil }

type action int

const (
	check     action = iota // an ensemble: check whether its models still allow it to serve
	loadModel               // and what it is made of
	unload
	nothing
)

// inTurn reports whether an order keeps its place in the model's line. A check of an ensemble does not: it may
// come before or after the waiting orders.
func (o order) inTurn() bool { return o.action != check }

// ticket is a model's part in an operation that runs or waits for its turn. A newer order for the
// model ends it. It belongs to state, except the fields that do not change: ctx, end, run, order,
// disk, derived, done.
type ticket struct {
	ctx   context.Context
	end   context.CancelCauseFunc
	run   *run
	order order
	// disk is the look of the model's folder when the order was given.
	disk look
	// derived is true if the operation loads the model as a part of an ensemble, or checks it as an
	// ensemble of a changed model.
	derived bool
	parts   []string      // of a model to load; known when the operation is prepared
	queued  bool          // it is in the model's line
	settled bool          // its order is done, and the ensembles made of the model are known
	done    chan struct{} // closed when the order has been carried out
}

// answers reports whether a load under way does what a newer order asks for.
func (t *ticket) answers(o order, disk look) bool {
	if o.action == unload || o.force || o.given != nil || t.order.given != nil || t.disk != disk {
		return false
	}
	return o.override == nil || t.order.override != nil && *o.override == *t.order.override
}

// orders are the orders under way. They belong to state.
type orders struct {
	tickets map[string][]*ticket        // by model, in the order in which they came
	byRun   map[*run]map[string]*ticket // the same tickets, by operation and model
	coming  map[string]int              // orders of a listing that will be enlisted
}

func newOrders() orders {
	return orders{tickets: map[string][]*ticket{}, byRun: map[*run]map[string]*ticket{}, coming: map[string]int{}}
}

// any reports whether there is an order for a model.
func (o *orders) any(key string) bool { return o.tickets[key] != nil }

// add appends a ticket to those of its model.
func (o *orders) add(key string, t *ticket) {
	o.tickets[key] = append(o.tickets[key], t)
	if o.byRun[t.run] == nil {
		o.byRun[t.run] = map[string]*ticket{}
	}
	o.byRun[t.run][key] = t
}

// remove removes a ticket.
func (o *orders) remove(key string, t *ticket) {
	rest := slices.DeleteFunc(o.tickets[key], func(other *ticket) bool { return other == t })
	if len(rest) == 0 {
		delete(o.tickets, key)
	} else {
		o.tickets[key] = rest
	}
	if delete(o.byRun[t.run], key); len(o.byRun[t.run]) == 0 {
		delete(o.byRun, t.run)
	}
}

// enlisted records that the orders of a listing have tickets.
func (o *orders) enlisted(asked map[string]order) {
	for key := range asked {
		if o.coming[key]--; o.coming[key] == 0 {
			delete(o.coming, key)
		}
	}
}

// newest returns the newest order for a model that is under way and was not ended; nil when there is
// none.
func (o *orders) newest(key string) *ticket {
	list := o.tickets[key]
	for i := len(list) - 1; i >= 0; i-- {
		if t := list[i]; t.ctx.Err() == nil && t.order.action != check {
			return t
		}
	}
	return nil
}

// underWay reports whether the newest running or waiting order for a model has this action.
func (o *orders) underWay(key string, a action) bool {
	t := o.newest(key)
	return t != nil && t.order.action == a
}

// pending reports whether an order for a model waits for its turn or is being carried out.
func (o *orders) pending(key string) bool {
	return slices.ContainsFunc(o.tickets[key], func(t *ticket) bool {
		return t.queued && t.ctx.Err() == nil && !t.settled
	})
}

// supersede ends the loads of a model that a newer order makes useless, and returns their tickets.
// A load of the same files in the same way goes on, and the newer order waits for it.
func (o *orders) supersede(key string, by order, disk look) (ended []*ticket) {
	why := bySave
	switch {
	case by.action == unload:
		why = byUnload
	case by.explicit:
		why = byLoad
	}
	for _, t := range o.tickets[key] {
		if t.order.action != unload && !t.answers(by, disk) {
			t.end(why)
			ended = append(ended, t)
		}
	}
	return ended
}

// stop ends the unfinished loads of a model, and the loads that were begun only for them.
func (o *orders) stop(key string) (stopped []*ticket) {
	for _, t := range o.tickets[key] {
		if t.order.action == loadModel && t.ctx.Err() == nil && !t.settled {
			t.end(byStop)
			o.release(t, nobodys)
			stopped = append(stopped, t)
		}
	}
	return stopped
}

// nobodys returns false: no other operation needs the model.
func nobodys(string) bool { return false }

// release ends the loads that were begun for an ensemble that nobody waits for any more, except those
// that another operation needs.
func (o *orders) release(of *ticket, needed func(key string) bool) {
	for _, part := range of.parts {
		t := o.byRun[of.run][part]
		if t == nil || !t.derived || t.ctx.Err() != nil || o.needs(of.run, part) || needed(part) {
			continue
		}
		t.end(context.Cause(of.ctx))
		o.release(t, needed)
	}
}

// needs reports whether a load of an operation that goes on has the model as a part.
func (o *orders) needs(r *run, part string) bool {
	for _, t := range o.byRun[r] {
		if t.order.action == loadModel && t.ctx.Err() == nil && slices.Contains(t.parts, part) {
			return true
		}
	}
	return false
}
