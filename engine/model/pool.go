package model

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"conch/engine/backend"
	"conch/engine/guarded"
	"conch/engine/infer"
	"conch/engine/placement"
	"conch/engine/sched"
)

// pool is the instances of a version, the loaded model that they belong to, and the scheduler over them. A pool that
// changes instances in place borrows from the pool before it, until it adopts what it borrowed.
type pool struct {
	framework backend.Backend // nil for an ensemble
	holds     guarded.Value[holding]

	// schedule sets what follows before the version serves; it does not change afterwards.
	scheduler infer.Handler
	scheduled []*instance
	active    int // instances that get requests; 0 for an ensemble
}

// holding is what a pool holds at the moment, and frees.
type holding struct {
	model     backend.Model // nil for an ensemble, and while it belongs to the pool before
	instances []*instance
	borrowed  map[*instance]bool // those that belong to the pool before, too
	before    *pool              // the pool that lends; nil without
	replaced  bool               // by a pool that has the model now
}

// newPool makes a pool without instances. before lends its model and instances; nil for none.
func newPool(framework backend.Backend, before *pool) *pool {
	p := &pool{framework: framework}
	held := p.holds.Lock()
	defer p.holds.Unlock()
	held.before, held.borrowed = before, map[*instance]bool{}
	return p
}

// own gives the pool the model that its instances belong to.
func (p *pool) own(m backend.Model) {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	held.model = m
}

// loaded returns the model that instances are made from.
func (p *pool) loaded() backend.Model {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	if held.before != nil {
		return held.before.loaded()
	}
	return held.model
}

// all returns the instances of the moment.
func (p *pool) all() []*instance {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	return slices.Clone(held.instances)
}

// owned returns the instances of the moment that the pool has not borrowed.
func (p *pool) owned() []*instance {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	return held.owned()
}

func (h *holding) owned() []*instance {
	return slices.DeleteFunc(slices.Clone(h.instances), func(in *instance) bool { return h.borrowed[in] })
}

// add puts an instance in.
func (p *pool) add(in *instance) {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	held.instances = append(held.instances, in)
}

// borrow adds an instance of the pool before that fits a place and is not borrowed yet. It reports whether there was one.
func (p *pool) borrow(at placement.Instance) bool {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	if held.before == nil {
		return false
	}
	wanted := signature(at.Group)
	for _, in := range held.before.all() {
		if in.signature == wanted && in.at == at.Device && !held.borrowed[in] {
			held.borrowed[in] = true
			held.instances = append(held.instances, in)
			return true
		}
	}
	return false
}

// follows reports whether the pool borrows from another.
func (p *pool) follows(other *pool) bool {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	return held.before == other
}

// adopt makes the pool the owner of what it borrowed, and of the model. The pool before keeps only the instances that were
// not borrowed.
func (p *pool) adopt() {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	old := held.before.holds.Lock()
	defer held.before.holds.Unlock()
	held.model, old.model = old.model, nil
	old.instances = slices.DeleteFunc(slices.Clone(old.instances), func(in *instance) bool { return held.borrowed[in] })
	old.replaced = true
	held.before, held.borrowed = nil, nil
}

// replaced reports whether another pool adopted the model of this one.
func (p *pool) replaced() bool {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	return held.replaced
}

// schedule puts a scheduler over the instances that get requests.
func (p *pool) schedule(scheduler func([]*instance) infer.Handler) {
	p.scheduled = slices.DeleteFunc(p.all(), func(in *instance) bool { return in.passive })
	p.active = len(p.scheduled)
	p.scheduler = scheduler(p.scheduled)
	for _, in := range p.scheduled {
		if s, ok := p.scheduler.(sched.Pauser); ok && in.revival != nil {
			in.revival.serve(s)
		}
	}
}

// begins returns when the first instance that died is made again; zero while that happens, and when none died.
func (p *pool) begins() (first time.Time) {
	for _, in := range p.scheduled {
		if in.revival.why() == nil {
			continue
		}
		at := in.revival.begins()
		if at.IsZero() {
			return at
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// trouble returns why instances do not run; "" when all run. down reports that none runs.
func (p *pool) trouble() (why string, down bool) {
	out := 0
	for _, in := range p.scheduled {
		if trouble := in.revival.why(); trouble != nil {
			out++
			why = trouble.Error()
		}
	}
	return why, out > 0 && out == p.active
}

// memory returns what the backend reports of the memory in use, by device. It holds the lock, so that nothing is freed
// meanwhile.
func (p *pool) memory() []backend.Memory {
	used := map[backend.Device]uint64{}
	add := func(part any) {
		if r, ok := part.(backend.MemoryReporter); ok {
			for _, m := range r.Memory() {
				used[m.Device] += m.Bytes
			}
		}
	}
	held := p.holds.Lock()
	defer p.holds.Unlock()
	add(held.model)
	for _, in := range held.instances {
		add(in.part())
	}
	var list []backend.Memory
	for d, bytes := range used {
		list = append(list, backend.Memory{Device: d, Bytes: bytes})
	}
	slices.SortFunc(list, func(a, b backend.Memory) int { return cmp.Compare(a.Device.String(), b.Device.String()) })
	return list
}

// stopper is a scheduler that holds something between requests.
type stopper interface{ Stop() }

// free frees the instances and the model. No request of the version runs any more.
func (p *pool) free() error {
	if s, ok := p.scheduler.(stopper); ok {
		s.Stop()
	}
	for _, in := range p.scheduled {
		if s, ok := p.scheduler.(sched.Pauser); ok && in.revival != nil {
			in.revival.leave(s)
		}
	}
	instances, model := p.takeOut()
	var errs []error
	for _, in := range instances {
		errs = append(errs, in.close())
	}
	if model != nil {
		errs = append(errs, model.Close())
	}
	return errors.Join(errs...)
}

// takeOut empties the pool and returns what it owns.
func (p *pool) takeOut() ([]*instance, backend.Model) {
	held := p.holds.Lock()
	defer p.holds.Unlock()
	owned, model := held.owned(), held.model
	held.instances, held.model = nil, nil
	return owned, model
}
