package control

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"conch/engine/guarded"
	"conch/engine/infer"
	"conch/engine/model"
)

// operation carries out orders on models that belong together.
type operation struct {
	*core
	of    *run
	nodes guarded.Value[nodes]
	all   sync.WaitGroup
}

// nodes are the models of an operation, and the models that each is made of.
type nodes struct {
	op     *operation
	byName map[string]*node
}

// node is a model in an operation. Only its own goroutine changes it, until done is closed; parts
// change with nodes locked.
type node struct {
	name       string
	ctx        context.Context // ends with the reason why the load is stopped
	order      order
	listing    *Listing // the newest one when the definition was read
	found      *Found
	imports    uint64 // how often an import had changed when the definition was read
	definition *model.Definition
	failure    *failure // nil when the order was carried out
	// superseded is the failure of a load that the node waited for and that a newer order ended;
	// nil when there is none.
	superseded *failure
	parts      []string
	because    []string         // imports that had changed before the load
	begun      time.Time        // when the first of its versions no longer waited for other loads; zero for none
	out        []*model.Version // taken out of service; retired when the operation is over
	done       chan struct{}
}

func newNode(name string, o order) *node {
	return &node{name: name, order: o, done: make(chan struct{})}
}

// prepare reads the definitions of the models of the orders and adds the related models: an ensemble's models are loaded with
// it, and ensembles made of a changed model are checked again.
func prepare(r *run) *operation {
	op := &operation{core: r.core, of: r}
	g := gathering{op: op, byName: map[string]*node{}}
	for name, o := range r.orders { // before their parts, so that a requested model does not count as a part
		g.byName[name] = newNode(name, o)
	}
	for name := range r.orders {
		g.addParts(g.byName[name])
	}
	g.addDependents()
	*op.nodes.Lock() = nodes{op: op, byName: g.byName}
	op.nodes.Unlock()
	return op
}

// gathering are models that will be added to an operation. Their configs are read from the disk first, without a lock
// on nodes. One goroutine uses it.
type gathering struct {
	op     *operation
	known  map[string]*node // already in the operation
	byName map[string]*node
}

// add adds a model with the models that it is made of.
func (g *gathering) add(name string, o order) {
	if g.known[name] != nil {
		return
	}
	n := g.byName[name]
	switch {
	case n == nil:
		n = newNode(name, o)
		g.byName[name] = n
	case n.order.action == check && o.action == loadModel:
		n.order = o
	default:
		return
	}
	g.addParts(n)
}

func (g *gathering) addParts(n *node) {
	n.listing = g.op.o.Models.Current()
	if n.order.action != loadModel {
		s := g.op.state.Lock()
		defer g.op.state.Unlock()
		n.parts = s.partsOf(n.name)
		return
	}
	n.parts = g.op.of.ops.definer.define(n)
	for _, part := range n.parts {
		if part != n.name {
			g.add(part, order{action: loadModel})
		}
	}
}

// addDependents adds the wanted ensembles that are made of models of this operation.
func (g *gathering) addDependents() {
	for left := slices.Collect(maps.Keys(g.byName)); len(left) > 0; {
		name := left[len(left)-1]
		left = left[:len(left)-1]
		for _, ensemble := range g.op.ensemblesOf(name) {
			if g.byName[ensemble] == nil {
				g.add(ensemble, order{action: check})
				left = append(left, ensemble)
			}
		}
	}
}

// gather reads the definitions of models that will be added while the operation runs, with their parts. Meanwhile others may add some of
// the same models; join skips those.
func (op *operation) gather(names []string, o order) map[string]*node {
	g := gathering{op: op, known: op.known(), byName: map[string]*node{}}
	for _, name := range names {
		g.add(name, o)
	}
	return g.byName
}

// known returns the current models of the operation.
func (op *operation) known() map[string]*node {
	all := op.nodes.Lock()
	defer op.nodes.Unlock()
	return maps.Clone(all.byName)
}

// join adds the gathered models, except those that were added meanwhile, and returns the new ones.
func (all *nodes) join(gathered map[string]*node) (fresh []*node) {
	for name, n := range gathered {
		if all.byName[name] == nil {
			all.byName[name] = n
			fresh = append(fresh, n)
		}
	}
	return fresh
}

// graph returns the parts of each model of the operation.
func (all *nodes) graph() map[string][]string {
	graph := make(map[string][]string, len(all.byName))
	for name, n := range all.byName {
		graph[name] = n.parts
	}
	return graph
}

// loads reports whether the operation loads a model.
func (all *nodes) loads(name string) bool {
	n := all.byName[name]
	return n != nil && n.order.action == loadModel
}

// begin starts nodes that were added while the operation runs.
func (all *nodes) begin(fresh []*node, circles map[string]string) {
	for _, n := range fresh {
		all.op.of.admit(n)
	}
	for _, n := range fresh {
		all.op.all.Go(func() { all.op.carry(n, circles[n.name]) })
	}
}

// run carries the orders out: a model after the models that it is made of.
func (op *operation) run() {
	all := op.nodes.Lock()
	circles := circles(all.graph())
	for name, n := range all.byName {
		op.all.Go(func() { op.carry(n, circles[name]) })
	}
	op.nodes.Unlock()
	op.all.Wait()
}

// carry carries out the order for one model, in its turn.
func (op *operation) carry(n *node, circle string) {
	defer close(n.done)
	defer op.of.finish(n.name)
	locks, place := op.of.ops.locks, op.of.place
	defer locks.asked(place, n.name)()
	if circle == "" {
		op.await(n)
	}
	if err := locks.take(place, n.name, n.order.inTurn()); err != nil {
		n.failure = &failure{stage: load, err: err}
		return
	}
	n.listing = op.o.Models.Current()
	for circle == "" && n.order.action == loadModel && !op.current(n) {
		locks.giveBack(n.name)
		circle = op.extend(n)
		if circle == "" {
			op.await(n)
		}
		if err := locks.take(place, n.name, true); err != nil {
			n.failure = &failure{stage: load, err: err}
			return
		}
	}
	defer locks.giveBack(n.name)
	if circle != "" && n.order.action != unload {
		n.failure = &failure{stage: dependency, err: infer.Errorf(infer.InvalidArg, "%s", circle)}
		op.of.ops.changer.reject(n)
		return
	}
	op.do(n)
	op.lookAtDependents(n)
}

// current reads a model's definition again, since its folder or config may have changed while it waited. It
// returns false when the model now has a part that this operation has not waited for.
func (op *operation) current(n *node) bool {
	n.listing, n.failure = op.o.Models.Current(), nil
	parts := op.of.ops.definer.define(n)
	op.of.madeOf(n.name, parts)
	op.nodes.Lock()
	defer op.nodes.Unlock()
	before := n.parts
	n.parts = parts
	for _, part := range parts {
		if !slices.Contains(before, part) {
			return false
		}
	}
	return true
}

// extend adds a model's new parts, and returns Triton's sentence if they make a circle.
func (op *operation) extend(n *node) (circle string) {
	gathered := op.gather(n.parts, order{action: loadModel})
	all := op.nodes.Lock()
	defer op.nodes.Unlock()
	fresh := all.join(gathered)
	circles := circles(all.graph())
	all.begin(fresh, circles)
	return circles[n.name]
}

// lookAtDependents checks the ensembles of a model that became wanted after the operation was
// prepared: they may have been checked against the model's old version.
func (op *operation) lookAtDependents(n *node) {
	gathered := op.gather(op.of.settle(n.name), order{action: check})
	all := op.nodes.Lock()
	defer op.nodes.Unlock()
	if fresh := all.join(gathered); len(fresh) > 0 {
		all.begin(fresh, circles(all.graph()))
	}
}

// await waits for the models that a model is made of, unless its load was ended.
func (op *operation) await(n *node) {
	if n.order.action == unload {
		return
	}
	parts := op.partNodes(n)
	defer op.of.ops.locks.awaits(n.name, namesOf(parts))()
	for _, p := range parts {
		select {
		case <-p.done:
			if p.failure != nil && p.failure.superseded && n.superseded == nil {
				n.superseded = p.failure // the order that ended that load checks this model too
			}
		case <-n.ctx.Done():
		}
	}
}

func namesOf(list []*node) (names []string) {
	for _, n := range list {
		names = append(names, n.name)
	}
	return names
}

func (op *operation) partNodes(n *node) (list []*node) {
	all := op.nodes.Lock()
	defer op.nodes.Unlock()
	for _, part := range n.parts {
		if p := all.byName[part]; p != nil && p != n {
			list = append(list, p)
		}
	}
	return list
}

// do carries out the order for a model in its turn.
func (op *operation) do(n *node) {
	change := op.of.ops.changer
	switch {
	case n.order.action == unload:
		change.unloadAsOrdered(n)
	case op.givenUp(n):
	case n.order.action == loadModel:
		change.load(n)
	case n.order.action == check:
		change.check(n)
	}
}

// givenUp ends a load when a newer order has come for the model, or for one that it waited for. The
// loaded versions stay.
func (op *operation) givenUp(n *node) bool {
	switch {
	case superseded(n.ctx):
		op.of.ops.changer.standDown(n, failure{stage: load, err: op.cancelled(n.ctx, n.name)})
	case n.superseded != nil:
		op.of.ops.changer.standDown(n, *n.superseded)
		op.of.ops.lookAgain(n)
	default:
		return false
	}
	return true
}

// ensemblesOf returns the wanted ensembles that are made of a model.
func (op *operation) ensemblesOf(part string) []string {
	s := op.state.Lock()
	defer op.state.Unlock()
	return s.madeOf(part)
}
