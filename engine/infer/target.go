package infer

import (
	"context"

	"conch/configedit/modelconfig"
)

// Target is the version that reads, checks, runs and answers a request. The request has entered the version, so it is
// not freed before Leave. A version that is loaded meanwhile serves later requests.
type Target struct {
	// Config is the version's completed config; it must not be changed.
	Config  *modelconfig.ModelConfig
	Version Entered
	// Through is a passage that requests go through before the version; nil for none.
	Through Passage
}

// Entered is a version that a request has entered.
type Entered interface {
	Handler
	Leave()
}

// Holder is a version that sends requests on to others: an ensemble.
type Holder interface {
	// Hold enters the versions that it will send a request to. What it returns takes the place of the version, and leaves them too.
	Hold() Entered
}

// Held are the versions that an ensemble's request has entered before its turn.
type Held struct {
	Steps []Stay // by step
	Swaps uint64 // how many versions had been swapped before it entered
}

// Stay is a version that a step of an ensemble has entered, or why it could not. The zero value has not entered yet.
type Stay struct {
	Begun  bool
	Target Target
	Err    error
}

// Leave ends the stay, where it began.
func (s *Stay) Leave() {
	if s.Begun && s.Err == nil {
		s.Target.Leave()
	}
}

// Hold keeps a request that will wait for its turn in the versions that serve now, also those of an ensemble's steps.
func (t *Target) Hold() {
	if h, ok := t.Version.(Holder); ok {
		t.Version = h.Hold()
	}
}

// Passage is a step before the version, such as a limit.
type Passage interface {
	Pass(ctx context.Context, to Handler, r *Request, sink Sink) error
}

var _ Handler = Target{}

// Infer runs a request on the version. It ignores the request's Model and Version.
func (t Target) Infer(ctx context.Context, r *Request, sink Sink) error {
	if t.Through != nil {
		return t.Through.Pass(ctx, t.Version, r, sink)
	}
	return t.Version.Infer(ctx, r, sink)
}

// Leave ends the stay that began with the Target. It is called once.
func (t Target) Leave() { t.Version.Leave() }
