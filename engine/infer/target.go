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
