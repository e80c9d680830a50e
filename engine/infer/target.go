package infer

import (
	"context"

	"conch/configedit/modelconfig"
)

// Target is the one version that a request is read for, checked by, run on and answered by. The request has entered it:
// what is loaded meanwhile is for the requests after it, and the version is not freed before Leave.
type Target struct {
	// Config is the version's completed config; it is not changed.
	Config  *modelconfig.ModelConfig
	Version Entered
	// Through is what requests pass on their way to the version; nil for nothing.
	Through Passage
}

// Entered is a version as the one sees it who is inside.
type Entered interface {
	Handler
	Leave()
}

// Passage is what a request goes through on its way to its version, such as a limit.
type Passage interface {
	Pass(ctx context.Context, to Handler, r *Request, sink Sink) error
}

var _ Handler = Target{}

// Infer runs a request on the version, whatever the request's Model and Version say.
func (t Target) Infer(ctx context.Context, r *Request, sink Sink) error {
	if t.Through != nil {
		return t.Through.Pass(ctx, t.Version, r, sink)
	}
	return t.Version.Infer(ctx, r, sink)
}

// Leave ends the stay that began with the Target. It is called once.
func (t Target) Leave() { t.Version.Leave() }
