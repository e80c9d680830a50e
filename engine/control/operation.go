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
	ctx     context.Context
	listing *Listing
	nodes   map[string]*node
	before  map[string]*node // of the look before the names were locked; nil for that look itself
}

// node is a model in an operation. Only its own goroutine changes it, until done is closed.
type node struct {
	name    string
	order   order
	found   *Found
	plan    *model.Plan
	failure *failure // nil when the order was carried out
	parts   []string
	out     []*model.Version // taken out, to be retired when the operation is over
	done    chan struct{}
}

// carryOut runs orders to their end and gives the failures by name. Other operations on the same models, or on
// ones tied to them by ensembles, wait.
// Loads are given up when ctx ends.
func (m *Manager) carryOut(ctx context.Context, orders map[string]order) (map[string]*failure, error) {
	if !m.begin() {
		return nil, infer.Errorf(infer.Unavailable, "server is exiting")
	}
	defer m.work.Done()
	op, locked := m.lockFor(orders)
	defer m.locks.unlock(locked)
	loads, cancel := context.WithCancelCause(m.life)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	op.ctx = loads
	op.run()
	op.retire()
	failures := map[string]*failure{}
	for name, n := range op.nodes {
		if n.failure != nil {
			failures[name] = n.failure
		}
	}
	return failures, nil
}

// lockFor locks the names that an operation touches. What it waited for may have changed what belongs together,
// so the plan is made again behind the lock.
func (m *Manager) lockFor(orders map[string]order) (*operation, map[string]bool) {
	op := m.prepare(orders, nil)
	for {
		names := op.names()
		m.locks.lock(names)
		op = m.prepare(orders, op.nodes)
		if covers(names, op.nodes) {
			return op, names
		}
		m.locks.unlock(names)
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
	op := &operation{m: m, ctx: m.life, listing: m.o.Library.Current(), nodes: map[string]*node{}, before: before}
	for name, o := range orders {
		op.add(name, o)
	}
	op.addDependents()
	return op
}

func (op *operation) add(name string, o order) {
	if n := op.nodes[name]; n != nil {
		if n.order.action == check && o.action == loadModel {
			n.order = o
			op.addParts(n)
		}
		return
	}
	n := &node{name: name, order: o, done: make(chan struct{})}
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
			for _, part := range n.parts {
				if p := op.nodes[part]; p != nil && n.order.action != unload {
					<-p.done
				}
			}
			op.do(n)
		})
	}
	all.Wait()
}

func (op *operation) do(n *node) {
	switch n.order.action {
	case loadModel:
		op.load(n)
	case unload:
		if !n.order.explicit && len(op.m.find(op.listing, n.name)) == 1 {
			return // its folder had gone and is back before we came to it
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
