package control

import (
	"context"
	"sync"

	"conch/engine/infer"
	"conch/engine/model"
)

// order is what is to be done with a model.
type order struct {
	action   action
	force    bool    // load again even when nothing changed
	again    bool    // by nobody: the load failed for a passing reason
	explicit bool    // by a request for this very model
	override *string // the config as JSON; nil keeps what is in force while the files are the same
	given    *Found  // a client's files, which stand in for the folder
	fault    error   // why there are none, although the client sent some
}

type action int

const (
	check     action = iota // an ensemble: see whether what it is made of still serves it
	loadModel               // and what it is made of
	unload
)

// operation carries out orders on models that belong together, while their names are locked.
type operation struct {
	m       *Manager
	listing *Listing
	nodes   map[string]*node
	before  map[string]*node // of the look before the names were locked; nil for that look itself
}

// node is a model in an operation. Only its own goroutine changes it, until done is closed.
type node struct {
	name    string
	ctx     context.Context // ends with the reason for which the load is given up
	order   order
	found   *Found
	plan    *model.Plan
	failure *failure // nil when the order was carried out
	// superseded is the failure of a load that it waited for and that a newer order ended; nil when there is none.
	superseded *failure
	parts      []string
	out        []*model.Version // taken out, to be retired when the operation is over
	done       chan struct{}
}

// carryOut runs orders to their end and gives the failures by name. Other operations on the same models, or on
// ones tied to them by ensembles, wait; their loads are ended where these orders make them needless.
// Loads are given up when ctx ends.
func (m *Manager) carryOut(ctx context.Context, orders map[string]order) (map[string]*failure, error) {
	r := m.enlist(ctx, orders)
	if r == nil {
		return nil, infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return r.carryOut(), nil
}

func (r *run) carryOut() map[string]*failure {
	defer r.close()
	op := r.lockNames()
	op.run()
	op.retire()
	failures := map[string]*failure{}
	for name, n := range op.nodes {
		if n.failure != nil {
			failures[name] = n.failure
		}
	}
	return failures
}

// lockNames locks the names that an operation touches. What it waited for may have changed what belongs together,
// so the plan is made again behind the lock.
func (r *run) lockNames() *operation {
	op := r.m.prepare(r.orders, nil)
	for {
		r.plan(op)
		names := op.names()
		r.m.locks.lock(r.place, names)
		op = r.m.prepare(r.orders, op.nodes)
		if covers(names, op.nodes) {
			r.plan(op)
			return op
		}
		r.m.locks.unlock(r.place)
	}
}

func (op *operation) names() map[string]bool {
	names := make(map[string]bool, len(op.nodes))
	for name := range op.nodes {
		names[name] = true
	}
	return names
}

func covers(names map[string]bool, nodes map[string]*node) bool {
	for name := range nodes {
		if !names[name] {
			return false
		}
	}
	return true
}

// prepare plans the models of the orders and adds what belongs to them: what ensembles are made of is loaded
// with them, and ensembles made of something that changes are looked at again.
func (m *Manager) prepare(orders map[string]order, before map[string]*node) *operation {
	op := &operation{m: m, listing: m.o.Library.Current(), nodes: map[string]*node{}, before: before}
	for name, o := range orders { // before their parts, so that what was asked for by its name is not taken for a part
		op.nodes[name] = newNode(name, o)
	}
	for name := range orders {
		op.addParts(op.nodes[name])
	}
	op.addDependents()
	return op
}

func newNode(name string, o order) *node {
	return &node{name: name, order: o, done: make(chan struct{})}
}

func (op *operation) add(name string, o order) {
	if n := op.nodes[name]; n != nil {
		if n.order.action == check && o.action == loadModel {
			n.order = o
			op.addParts(n)
		}
		return
	}
	n := newNode(name, o)
	op.nodes[name] = n
	op.addParts(n)
}

func (op *operation) addParts(n *node) {
	if n.order.action != loadModel {
		n.parts = op.m.partsOf(n.name)
		return
	}
	op.plan(n)
	for _, part := range n.parts {
		if part != n.name {
			op.add(part, order{action: loadModel})
		}
	}
}

// addDependents adds the ensembles that somebody wants and that are made of models of this operation. Their
// other parts are locked with them, for they are compared with those.
func (op *operation) addDependents() {
	parts := op.m.wantedParts()
	for again := true; again; {
		again = false
		for ensemble, list := range parts {
			if op.nodes[ensemble] != nil || !op.anyOf(list) {
				continue
			}
			op.add(ensemble, order{action: check})
			again = true
		}
	}
}

func (op *operation) anyOf(names []string) bool {
	for _, name := range names {
		if op.nodes[name] != nil {
			return true
		}
	}
	return false
}

// run carries the orders out: a model after what it is made of, an unload after the ensembles made of it.
func (op *operation) run() {
	graph := map[string][]string{}
	for name, n := range op.nodes {
		graph[name] = n.parts
	}
	var all sync.WaitGroup
	for name, n := range op.nodes {
		all.Go(func() {
			defer close(n.done)
			if circle := cycle(name, graph); circle != "" && n.order.action != unload {
				n.failure = &failure{stage: dependency, err: infer.Errorf(infer.InvalidArg, "%s", circle)}
				op.reject(n)
				return
			}
			op.await(n)
			op.do(n)
		})
	}
	all.Wait()
}

// await waits for what a model is made of, unless it is not to be loaded any more.
func (op *operation) await(n *node) {
	for _, part := range n.parts {
		p := op.nodes[part]
		if p == nil || n.order.action == unload {
			continue
		}
		select {
		case <-p.done:
			if p.failure != nil && p.failure.superseded && n.superseded == nil {
				n.superseded = p.failure // whoever ended that load sees to this model too
			}
		case <-n.ctx.Done():
		}
	}
}

func (op *operation) do(n *node) {
	if n.order.action != unload && op.givenUp(n) {
		return
	}
	switch n.order.action {
	case loadModel:
		op.load(n)
	case unload:
		if !n.order.explicit && (len(op.m.find(op.listing, n.name)) == 1 || op.m.isHeld(n.name)) {
			return // its folder had gone and is back before we came to it, or its whole repository has gone
		}
		op.unload(n)
	case check:
		op.check(n)
	}
}

// partsOf are the models an ensemble was last known to be made of.
func (m *Manager) partsOf(name string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[name]; e != nil {
		return m.partKeys(name, e.parts)
	}
	return nil
}

func (m *Manager) partKeysOf(name string, parts []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.partKeys(name, parts)
}

// wantedParts are the parts of all ensembles that are wanted.
func (m *Manager) wantedParts() map[string][]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	parts := map[string][]string{}
	for name := range m.ensembles {
		if e := m.entries[name]; e.wanted {
			parts[name] = m.partKeys(name, e.parts)
		}
	}
	return parts
}

// retire sends what was taken out on its way, ensembles before what they are made of.
func (op *operation) retire() {
	parts := map[string][]string{}
	for name, n := range op.nodes {
		parts[name] = n.parts
	}
	drains := map[string]<-chan struct{}{}
	for _, name := range dependentsFirst(parts) {
		if n := op.nodes[name]; len(n.out) > 0 {
			drains[name] = op.m.retire(retirement{name: name, versions: n.out, after: drainsOf(name, parts, drains), gone: true})
		}
	}
}
