package model

import (
	"context"

	"conch/engine/infer"
	"conch/engine/sched"
)

// maxDepth limits how many models may call each other in a row. Triton has no limit: a circle fills its instances and never
// ends.
const maxDepth = 32

// callerKey is the key of the *infer.Caller in the context of an execution.
type callerKey struct{}

// models runs the requests that an instance makes to other models. They are like requests of clients.
type models struct {
	to    infer.Handler
	graph *CallGraph
	log   *callLog
}

var _ infer.Handler = models{}

// Infer runs a request that an execution makes. ctx is the context of Execute or of a Responder, or is derived from it.
func (m models) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	by, _ := ctx.Value(callerKey{}).(*infer.Caller)
	switch {
	case by == nil:
		return infer.Errorf(infer.Internal, "BLS is only supported during the 'execute' function.")
	case by.Depth() > maxDepth:
		return infer.Errorf(infer.Internal, "models call each other more than %d deep, probably in a circle: %s calls %s", maxDepth, by, r.Model)
	}
	nested := *r
	nested.Caller, nested.Trace, nested.Trial = by, by.TraceCall(), by.Trial
	if nested.Trace != nil {
		sink = endedBefore(nested.Trace, sink)
	}
	var call *Called
	if !nested.Trial {
		call = m.log.began(r.Model)
	}
	err := m.to.Infer(ctx, &nested, sink)
	m.log.ended(call, err)
	if nested.Trace != nil {
		nested.Trace.End(err) // also of a request that was refused
	}
	return err
}

// endedBefore ends the trace of a call before its final answer is handed over: the caller may answer its own request at
// once, and in that request's trace the call has ended.
func endedBefore(trace *infer.Trace, sink infer.Sink) infer.Sink {
	return func(r *infer.Response) error {
		if r.Final {
			trace.End(nil)
		}
		return sink(r)
	}
}

// callerOf returns who calls other models during an execution.
func (e *execution) callerOf(calls []*sched.Call) *infer.Caller {
	by := &infer.Caller{Model: e.in.model, Load: e.in.counters.Load().Generation(), Trial: !e.counted}
	deepest := 0
	for _, c := range calls {
		if d := c.Request.Caller.Depth(); d > deepest {
			by.By, deepest = c.Request.Caller, d
		}
		if c.Request.Trace != nil {
			by.Traces = append(by.Traces, c.Request.Trace)
		}
	}
	return by
}
