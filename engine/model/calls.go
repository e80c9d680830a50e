package model

import (
	"context"

	"conch/engine/infer"
	"conch/engine/sched"
)

// maxDepth is how many models may call each other in a row. Triton has no bound: a circle fills its instances and never ends.
const maxDepth = 32

// callerKey is the key of the *infer.Caller in the context of an execution.
type callerKey struct{}

// models is what an instance calls other models with. The requests are as those of clients.
type models struct{ to infer.Handler }

var _ infer.Handler = models{}

// Infer runs a request that is made in an execution. ctx is that of Execute or of a Responder, or comes from it.
func (m models) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	by, _ := ctx.Value(callerKey{}).(*infer.Caller)
	switch {
	case by == nil:
		return infer.Errorf(infer.Internal, "BLS is only supported during the 'execute' function.")
	case by.Depth() > maxDepth:
		return infer.Errorf(infer.Internal, "models call each other more than %d deep, probably in a circle: %s calls %s", maxDepth, by, r.Model)
	}
	nested := *r
	nested.Caller = by
	return m.to.Infer(ctx, &nested, sink)
}

// begins notes the execution of an instance that may call others. The function ends it.
func (in *instance) begins(ctx context.Context, calls []*sched.Call) (context.Context, func()) {
	by := &infer.Caller{Model: in.model, Load: in.counters.Generation()}
	deepest := 0
	for _, c := range calls {
		if d := c.Request.Caller.Depth(); d > deepest {
			by.By, deepest = c.Request.Caller, d
		}
	}
	in.caller = by
	return context.WithValue(ctx, callerKey{}, by), by.End
}
