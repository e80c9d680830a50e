package sched

import "conch/configedit/modelconfig"

// stepLine keeps the turns of a step in order whose model answers in the order in which it is asked: without that, what
// a decoupled step says in order would leave the ensemble in any.
type stepLine struct {
	inOrder bool
	turns   []*turn // that have not begun
	outside []*turn // those of them that are not admitted yet
	served  bool    // by a goroutine
}

// line gives a turn its place, where turns of its step are to be in order. f.mu is held.
func (f *flow) line(t *turn) *turn {
	if !f.e.streams {
		return t
	}
	l := f.lines[t.step]
	if l == nil {
		cfg, err := f.config(&f.e.steps[t.step])
		l = &stepLine{inOrder: err != nil || ordered(cfg)}
		f.lines[t.step] = l
	}
	if l.inOrder {
		t.admitted = make(chan struct{})
		l.turns, l.outside = append(l.turns, t), append(l.outside, t)
	}
	return t
}

// admit lets the first turn of a line run that is not admitted yet, when all before it have run.
func (f *flow) admit(l *stepLine, inside bool) {
	f.mu.Lock()
	t := l.outside[0]
	l.outside = l.outside[1:]
	t.inside = inside
	close(t.admitted)
	idle := !l.served
	l.served = true
	f.mu.Unlock()
	if idle {
		f.running.Go(func() { f.serve(l) })
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
		<-t.admitted
		f.start(f.step(t))
	}
}

// ordered says whether a model's responses come in the order of its requests (Triton's ensemble scheduler,
// preserve_responses_order).
func ordered(cfg *modelconfig.ModelConfig) bool {
	instances := int32(0)
	for _, g := range cfg.InstanceGroup {
		instances += g.Count
	}
	switch dynamic := cfg.GetDynamicBatching(); {
	case cfg.GetSequenceBatching() != nil:
		return true
	case dynamic != nil:
		return dynamic.PreserveOrdering
	}
	return instances <= 1
}
