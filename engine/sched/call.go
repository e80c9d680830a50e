package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
)

// Executor is one instance. It is given one batch at a time. It ends every call in it, by Respond, Fail or Reschedule, before
// it returns, or takes it out of the execution with Later.
type Executor interface {
	Execute(ctx context.Context, calls []*Call)
}

// Gauge is told when a request begins to wait for an instance (1) and when it no longer does (-1).
type Gauge interface {
	Queued(delta int64)
}

// Call is one request's turn on an instance.
type Call struct {
	Request *infer.Request
	Queue   time.Duration // how long it waited

	ctx context.Context // the client's
	outcome

	// mu is held by whoever hands on an answer while the execution runs, and guards gone and the making of late: the execution
	// may be given up meanwhile.
	mu   sync.Mutex
	gone bool // nobody waits any more
}

// outcome is what an execution made of a call. It belongs to the executor until Execute has returned, then to the goroutine
// that waits for the answer.
type outcome struct {
	stream
	response *infer.Response // the last one: handed on when the instance is free again
	ended    bool
	again    bool            // it is to run once more
	state    *infer.Response // what it leaves for that
	late     *Reply          // gives the answers from now on; nil for an ordinary call
}

// NewCall makes a call for an instance that is run without a scheduler: End tells how it went.
func NewCall(ctx context.Context, r *infer.Request, sink infer.Sink) *Call {
	c := &Call{}
	c.start(ctx, r, sink)
	return c
}

// start makes a clear call one for a request.
func (c *Call) start(ctx context.Context, r *infer.Request, sink infer.Sink) {
	c.Request, c.ctx, c.sink = r, ctx, sink
}

// clear makes the call's memory fit for another request.
func (c *Call) clear() { c.Request, c.Queue, c.ctx, c.outcome, c.gone = nil, 0, nil, outcome{}, false }

// End hands the final response to the sink and says how the call ended. It waits for late answers.
func (c *Call) End() error { return c.deliver() }

// Respond answers the call. What is not the final response goes to the client at once; the final one when the
// instance is free for others.
func (c *Call) Respond(r *infer.Response) {
	switch {
	case c.ended:
		free(r)
	case !r.Final:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.gone {
			free(r)
			return
		}
		r.Timings.Queue = c.Queue
		c.send(r)
	default:
		c.response, c.ended = r, true
	}
}

// Fail ends the call with an error.
func (c *Call) Fail(err error) {
	if c.late != nil {
		c.late.Fail(err)
	} else if !c.ended {
		c.err, c.ended = err, true
	}
}

// Later takes the call out of the execution: its answers come through the Reply, also after Execute has returned. It is
// called while Execute runs, at most once, for a call that has no final answer yet.
func (c *Call) Later() *Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := newReply(c.ctx, c.stream, c.Queue)
	c.stream, c.late, c.ended = stream{}, l, true
	if c.gone {
		l.abandon(errAbandoned)
	}
	return l
}

// Reschedule ends the call for this execution, and lets it run again as the next of its sequence: what a model of an
// iterative sequence does until it has its answer. state, which may be nil, holds the outputs that are states. A Reply that
// was made for the call is of no more use.
func (c *Call) Reschedule(state *infer.Response) {
	if c.late != nil {
		if s, open := c.late.detach(); open {
			c.stream, c.late, c.ended = s, nil, false
		}
	}
	if c.ended {
		free(state)
		return
	}
	c.again, c.state, c.ended = true, state, true
}

// Again reports whether the call is to run once more.
func (c *Call) Again() bool { return c.again }

// Took notes what the execution cost, for the final response. It is true when the request counts as answered from now on
// although answers may still come: what becomes of those is counted no more (docs/triton/metrics.md, "What counts as what").
func (c *Call) Took(t infer.Timings) (counts bool) {
	t.Queue = c.Queue
	if c.late != nil {
		return c.late.took(t)
	}
	if c.response != nil {
		c.response.Timings = t
	}
	return false
}

// abandon is for a call that is with an executor which does not come back: nothing reaches its client any more.
func (c *Call) abandon(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	if c.late != nil {
		c.late.abandon(why)
	}
}

// discard is the end of a call that nobody waits for any more.
func (o *outcome) discard() {
	free(o.response)
	free(o.state)
	o.stream.discard()
	if o.late != nil {
		o.late.abandon(errAbandoned)
	}
}

// deliver hands the final response on and says how the call ended.
func (o *outcome) deliver() error {
	if o.late != nil {
		return o.late.wait()
	}
	o.flush()
	switch {
	case o.err != nil:
		free(o.response)
		return o.err
	case !o.ended:
		return infer.Errorf(infer.Internal, "the backend ended an execution without answering the request")
	case o.response == nil: // it has ended by itself, or asks for another run where there is none: in a warm-up
		free(o.state)
		return nil
	}
	defer free(o.response)
	return o.sink(o.response)
}

// free frees a response's memory, unless its sink has taken it over.
func free(r *infer.Response) {
	if r != nil && r.Release != nil {
		release := r.Release
		r.Release = nil
		release()
	}
}

// gone is the answer to a request whose client left while it was queued.
func gone(ctx context.Context) error {
	return infer.Errorf(infer.Cancelled, "request was cancelled while it waited for an instance: %v", context.Cause(ctx))
}
