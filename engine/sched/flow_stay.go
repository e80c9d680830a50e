package sched

import "conch/engine/infer"

// stay is the version that a step has entered. In an ensemble that streams, a step may have many requests. All go to
// the version of the first, and the step leaves it when the whole flow has ended. The zero value has not entered yet.
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

// version returns the version that a step's requests go to. In an ensemble that does not stream, a step has one
// request, and the caller leaves the version.
func (f *flow) version(step int) (infer.Target, error) {
	if !f.e.streams {
		return f.e.steps[step].enter(f.e.resolver)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stay(step)
}

// stay does what version does, in an ensemble that streams. f.mu is held.
func (f *flow) stay(step int) (infer.Target, error) {
	s := &f.stays[step]
	if !s.begun {
		s.begun = true
		s.target, s.err = f.e.steps[step].enter(f.e.resolver)
	}
	return s.target, s.err
}

func (s *step) enter(r Resolver) (infer.Target, error) { return r.Enter(s.model, s.version) }
