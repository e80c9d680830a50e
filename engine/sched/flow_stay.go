package sched

import "conch/engine/infer"

// Hold enters the versions of all steps, for a request that waits for its turn: one that comes after a reload of a model is of the version
// that has the requests before it. The caller leaves them.
func (e *Ensemble) Hold() []infer.Stay {
	stays := make([]infer.Stay, len(e.steps))
	for i := range e.steps {
		stays[i] = e.steps[i].stay(e.resolver)
		stays[i].Target.Hold()
	}
	return stays
}

// prepareStays prepares the versions of a flow's steps. In an ensemble that streams, a step may have many requests. All go to the version of the
// first, and the step leaves it when the whole flow has ended. A request of a sequence enters all at once: a request behind it, of the
// same sequence, has the same ones.
func (f *flow) prepareStays() {
	switch {
	case f.r.Held != nil:
		f.stays = f.r.Held.Steps
	case inSequence(f.r):
		f.stays = f.e.Hold()
	case f.e.streams:
		f.stays = make([]infer.Stay, len(f.e.steps))
	}
}

// leaveStays leaves the versions that the flow has entered.
func (f *flow) leaveStays() {
	if f.r.Held != nil {
		return
	}
	for i := range f.stays {
		f.stays[i].Leave()
	}
}

// version returns the version that a step's requests go to. Where no step stays, a step has one request, and the caller leaves the version.
func (f *flow) version(step int) (infer.Target, error) {
	if f.stays == nil {
		return f.e.steps[step].enter(f.e.resolver)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stay(step)
}

// stay does what version does, where steps stay. f.mu is held.
func (f *flow) stay(step int) (infer.Target, error) {
	s := &f.stays[step]
	if !s.Begun {
		*s = f.e.steps[step].stay(f.e.resolver)
	}
	return s.Target, s.Err
}

func (s *step) stay(r Resolver) infer.Stay {
	target, err := s.enter(r)
	return infer.Stay{Begun: true, Target: target, Err: err}
}

func (s *step) enter(r Resolver) (infer.Target, error) { return r.Enter(s.model, s.version) }
