package control

import (
	"context"
	"maps"
	"slices"
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

// operation carries out orders on models that belong together.
type operation struct {
	m  *Manager
	of *run

	mu    sync.Mutex // guards what follows, and the parts of all nodes
	nodes map[string]*node
	// running: nodes may be added, and those that are there keep their orders.
	running bool
	all     sync.WaitGroup
}

// node is a model in an operation. Only its own goroutine changes it, until done is closed.
type node struct {
	name    string
	ctx     context.Context // ends with the reason for which the load is given up
	order   order
	listing *Listing // the newest when the model was planned
	found   *Found
	plan    *model.Plan
	failure *failure // nil when the order was carried out
	// superseded is the failure of a load that it waited for and that a newer order ended; nil when there is none.
	superseded *failure
	parts      []string
	out        []*model.Version // taken out, to be retired when the operation is over
	done       chan struct{}
}

// inTurn says whether an order keeps its place in the model's line. A look at an ensemble does not: it may come
// before or after the orders that wait.
func (o order) inTurn() bool { return o.action != check }

// carryOut runs orders to their end and gives the failures by name. Other operations on the same models wait;
// their loads are ended where these orders make them needless. Loads are given up when ctx ends.
func (m *Manager) carryOut(ctx context.Context, orders map[string]order) (map[string]*failure, error) {
	r := m.enlist(ctx, orders)
	if r == nil {
		return nil, infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return r.carryOut(), nil
}

func (r *run) carryOut() map[string]*failure {
	defer r.close()
	op := r.prepare()
	r.plan(op)
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

// prepare plans the models of the orders and adds what belongs to them: what ensembles are made of is loaded
// with them, and ensembles made of something that changes are looked at again.
func (r *run) prepare() *operation {
	op := &operation{m: r.m, of: r, nodes: map[string]*node{}}
	for name, o := range r.orders { // before their parts, so that what was asked for by its name is not taken for a part
		op.nodes[name] = newNode(name, o)
	}
	for name := range r.orders {
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
		if n.order.action == check && o.action == loadModel && !op.running {
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
	n.listing = op.m.o.Library.Current()
	if n.order.action != loadModel {
		n.parts = op.m.partsOf(n.name)
		return
	}
	n.parts = op.plan(n)
	for _, part := range n.parts {
		if part != n.name {
			op.add(part, order{action: loadModel})
		}
	}
}

// addDependents adds the ensembles that somebody wants and that are made of models of this operation.
func (op *operation) addDependents() {
	for left := slices.Collect(maps.Keys(op.nodes)); len(left) > 0; {
		name := left[len(left)-1]
		left = left[:len(left)-1]
		for _, ensemble := range op.m.ensemblesOf(name) {
			if op.nodes[ensemble] == nil {
				op.add(ensemble, order{action: check})
				left = append(left, ensemble)
			}
		}
	}
}

// run carries the orders out: a model after what it is made of.
func (op *operation) run() {
	op.mu.Lock()
	op.running = true
	circles := circles(op.graph())
	for name, n := range op.nodes {
		op.all.Go(func() { op.carry(n, circles[name]) })
	}
	op.mu.Unlock()
	op.all.Wait()
}

// graph is what each model of the operation is made of. op.mu is held.
func (op *operation) graph() map[string][]string {
	graph := make(map[string][]string, len(op.nodes))
	for name, n := range op.nodes {
		graph[name] = n.parts
	}
	return graph
}

// carry carries out the order for one model, in its turn.
func (op *operation) carry(n *node, circle string) {
	defer close(n.done)
	defer op.of.finish(n.name)
	if circle == "" {
		op.await(n)
	}
	op.m.locks.lock(op.of.place, n.name, n.order.inTurn())
	n.listing = op.m.o.Library.Current()
	for circle == "" && n.order.action == loadModel && !op.current(n) {
		op.m.locks.unlock(n.name)
		circle = op.extend(n)
		if circle == "" {
			op.await(n)
		}
		op.m.locks.lock(op.of.place, n.name, true)
	}
	defer op.m.locks.unlock(n.name)
	if circle != "" && n.order.action != unload {
		n.failure = &failure{stage: dependency, err: infer.Errorf(infer.InvalidArg, "%s", circle)}
		op.reject(n)
		return
	}
	op.do(n)
	op.lookAtDependents(n)
}

// current plans a model again, since what it waited for may have changed its folder or its config in force. It is
// false when the model is made of something now that this operation has not waited for.
func (op *operation) current(n *node) bool {
	n.listing, n.failure = op.m.o.Library.Current(), nil
	parts := op.plan(n)
	op.of.madeOf(n.name, parts)
	op.mu.Lock()
	defer op.mu.Unlock()
	before := n.parts
	n.parts = parts
	for _, part := range parts {
		if !slices.Contains(before, part) {
			return false
		}
	}
	return true
}

// extend adds what a model has come to be made of, and gives Triton's sentence where that makes a circle.
func (op *operation) extend(n *node) (circle string) {
	op.mu.Lock()
	defer op.mu.Unlock()
	var fresh []*node
	known := maps.Clone(op.nodes)
	for _, part := range n.parts {
		if op.nodes[part] == nil {
			op.add(part, order{action: loadModel})
		}
	}
	for name, other := range op.nodes {
		if known[name] == nil {
			fresh = append(fresh, other)
		}
	}
	circles := circles(op.graph())
	op.beginLate(fresh, circles)
	return circles[n.name]
}

// lookAtDependents looks at the ensembles made of a model that somebody has come to want since the operation was
// prepared: they may have been held against what the model was before.
func (op *operation) lookAtDependents(n *node) {
	op.mu.Lock()
	defer op.mu.Unlock()
	var fresh []*node
	for _, ensemble := range op.of.settle(n.name) {
		if op.nodes[ensemble] == nil {
			op.add(ensemble, order{action: check})
			fresh = append(fresh, op.nodes[ensemble])
		}
	}
	if len(fresh) > 0 {
		op.beginLate(fresh, circles(op.graph()))
	}
}

// beginLate begins nodes that were added while the operation runs. op.mu is held.
func (op *operation) beginLate(fresh []*node, circles map[string]string) {
	for _, n := range fresh {
		op.of.admit(n)
	}
	for _, n := range fresh {
		op.all.Go(func() { op.carry(n, circles[n.name]) })
	}
}

// await waits for what a model is made of, unless it is not to be loaded any more.
func (op *operation) await(n *node) {
	if n.order.action == unload {
		return
	}
	for _, p := range op.partNodes(n) {
		select {
		case <-p.done:
			if p.failure != nil && p.failure.superseded && n.superseded == nil {
				n.superseded = p.failure // whoever ended that load sees to this model too
			}
		case <-n.ctx.Done():
		}
	}
}

func (op *operation) partNodes(n *node) (list []*node) {
	op.mu.Lock()
	defer op.mu.Unlock()
	for _, part := range n.parts {
		if p := op.nodes[part]; p != nil && p != n {
			list = append(list, p)
		}
	}
	return list
}

func (op *operation) do(n *node) {
	if n.order.action != unload && op.givenUp(n) {
		return
	}
	switch n.order.action {
	case loadModel:
		op.load(n)
	case unload:
		if !n.order.explicit && (len(op.m.find(n.listing, n.name)) == 1 || op.m.isHeld(n.name)) {
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

// ensemblesOf are the wanted ensembles that are made of a model.
func (m *Manager) ensemblesOf(part string) (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.madeOf(part)
}

// madeOf are the wanted ensembles that are made of a model. m.mu is held.
func (m *Manager) madeOf(part string) (list []string) {
	for ensemble := range m.users[m.names.identity(part).name] {
		if e := m.entries[ensemble]; e.wanted && slices.Contains(m.partKeys(ensemble, e.parts), part) {
			list = append(list, ensemble)
		}
	}
	return list
}

// retire sends what was taken out on its way, ensembles before what they are made of.
func (op *operation) retire() {
	parts := op.graph()
	drains := newDrains(parts)
	for _, name := range dependentsFirst(parts) {
		if n := op.nodes[name]; len(n.out) > 0 {
			drains.add(name, op.m.retire(retirement{name: name, versions: n.out, after: drains.of(name), gone: true}))
		}
	}
}
