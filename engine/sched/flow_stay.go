package sched

import "conch/engine/infer"

// stay is a step's in the version that its requests go to. In an ensemble that streams, a step may have many requests: all
// go to the version of the first, which is left when the whole flow has ended. The zero value has not begun.
type stay struct {
	begun  bool
	target infer.Target
	err    error
}

func (s *stay) end() {
	if s.begun && s.err == nil {
		s.target.Leave()
	}
}

// version returns what a step's requests go to. Where the ensemble does not stream, there is one of them, and who runs it
// leaves.
func (f *flow) version(step int) (infer.Target, error) {
	if !f.e.streams {
		return f.e.steps[step].enter(f.e.resolver)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stay(step)
}

// stay is version in an ensemble that streams. f.mu is held.
func (f *flow) stay(step int) (infer.Target, error) {
	s := &f.stays[step]
	if !s.begun {
		s.begun = true
		s.target, s.err = f.e.steps[step].enter(f.e.resolver)
	}
	return s.target, s.err
}

func (s *step) enter(r Resolver) (infer.Target, error) { return r.Enter(s.model, s.version) }
