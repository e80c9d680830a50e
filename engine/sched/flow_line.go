package sched

import (
	"cmp"
	"slices"
	"sync"

	"conch/configedit/modelconfig"
)

// stepLine keeps the turns of a step in the order of their places. It is for a model that gets its requests one after
// the other.
type stepLine struct {
	inOrder bool

	admitting sync.Mutex // locked before flow.mu, while the line waits at the limit
	outside   []*turn    // not admitted yet, by place
	next      int        // the next place to admit
	turns     []*turn    // admitted, but not begun
	served    bool       // a goroutine serves it
}

// line puts a turn into its step's line, if the step has one. f.mu is held.
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

// admit admits the next turns of a line in order, up to the first that is missing. It waits where the limit is
// reached.
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
