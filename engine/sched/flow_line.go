package sched

import (
	"cmp"
	"slices"
	"sync"

	"conch/configedit/modelconfig"
)

// stepLine keeps the turns of a step in the order of their places whose model is given its requests one after the other, and
// may have to have them in order.
type stepLine struct {
	inOrder bool

	admitting sync.Mutex // held, before flow.mu, by who waits at the limit for the line
	outside   []*turn    // not admitted yet, by place
	next      int        // the place to be admitted next
	turns     []*turn    // admitted, and not begun
	served    bool       // by a goroutine
}

// line puts a turn in its place, where the turns of its step must be in order. f.mu is held.
func (f *flow) line(t *turn) *turn {
	if !f.e.streams {
		return t
	}
	l := f.lines[t.step]
	if l == nil {
		target, err := f.stay(t.step)
		l = &stepLine{inOrder: err != nil || ordered(target.Config)}
		f.lines[t.step] = l
	}
	if l.inOrder {
		t.line = l
		at, _ := slices.BinarySearchFunc(l.outside, t.at, func(other *turn, at int) int { return cmp.Compare(other.at, at) })
		l.outside = slices.Insert(l.outside, at, t)
	}
	return t
}

// admit lets the turns of a line run before which none is missing, when all before them have run. It waits where the limit
// is reached.
func (f *flow) admit(l *stepLine) {
	l.admitting.Lock()
	defer l.admitting.Unlock()
	for {
		f.mu.Lock()
		if len(l.outside) == 0 || l.outside[0].at != l.next {
			f.mu.Unlock()
			return
		}
		t := l.outside[0]
		l.outside = l.outside[1:]
		l.next++
		f.mu.Unlock()
		t.inside = f.enter(&f.e.steps[t.step])
		f.mu.Lock()
		l.turns = append(l.turns, t)
		idle := !l.served
		l.served = true
		f.mu.Unlock()
		if idle {
			f.running.Go(func() { f.serve(l) })
		}
	}
}

// serve runs the turns of a line, one after the other.
func (f *flow) serve(l *stepLine) {
	for {
		f.mu.Lock()
		if len(l.turns) == 0 {
			l.served = false
			f.mu.Unlock()
			return
		}
		t := l.turns[0]
		l.turns = l.turns[1:]
		f.mu.Unlock()
		f.run(t)
	}
}

// ordered reports whether a model has one request at a time, at least of each sequence.
func ordered(cfg *modelconfig.ModelConfig) bool {
	instances := int32(0)
	for _, g := range cfg.InstanceGroup {
		instances += g.Count
	}
	return cfg.GetSequenceBatching() != nil || cfg.GetDynamicBatching() == nil && instances <= 1
}
