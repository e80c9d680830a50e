package sched

import (
	"context"
	"time"

	"conch/engine/infer"
)

// Executor is one instance. It is given one batch at a time and ends every call in it, by Respond or Fail, before
// it returns.
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

	sink     infer.Sink
	response *infer.Response // the last one: handed on when the instance is free again
	err      error
	ended    bool
	again    bool            // it is to run once more
	state    *infer.Response // what it leaves for that
	// before is closed when streaming may begin, and kept what came earlier; nil where answers need not be in order.
	before <-chan struct{}
	kept   []infer.Response
}

// NewCall makes a call for an instance that is run without a scheduler: End tells how it went.
func NewCall(r *infer.Request, sink infer.Sink) *Call { return &Call{Request: r, sink: sink} }

// End hands the final response to the sink and says how the call ended.
func (c *Call) End() error { return c.deliver() }

// Respond answers the call. What is not the final response goes to the client at once; the final one when the
// instance is free for others.
func (c *Call) Respond(r *infer.Response) {
	switch {
	case c.ended:
		free(r)
	case !r.Final:
		r.Timings.Queue = c.Queue
		c.stream(r)
	default:
		c.response, c.ended = r, true
	}
}

// stream hands on a response of many; the first error of the client ends what it gets.
func (c *Call) stream(r *infer.Response) {
	if c.before != nil {
		select {
		case <-c.before:
			c.flush()
			c.before = nil
		default:
			c.kept = append(c.kept, *r)
			r.Release = nil
			return
		}
	}
	c.send(r)
}

func (c *Call) send(r *infer.Response) {
	if c.err == nil {
		c.err = c.sink(r)
	}
	free(r)
}

// flush hands on what had to wait.
func (c *Call) flush() {
	failed := c.err
	c.err = nil
	for i := range c.kept {
		c.send(&c.kept[i])
	}
	c.kept = nil
	if failed != nil {
		c.err = failed
	}
}

// discard is the end of a call that nobody waits for any more.
func (c *Call) discard() {
	free(c.response)
	free(c.state)
	for i := range c.kept {
		free(&c.kept[i])
	}
	c.kept = nil
}

// Fail ends the call with an error.
func (c *Call) Fail(err error) {
	if !c.ended {
		c.err, c.ended = err, true
	}
}

// Reschedule ends the call for this execution, and lets it run again as the next of its sequence: what a model of an
// iterative sequence does until it has its answer. state, which may be nil, holds the outputs that are states.
func (c *Call) Reschedule(state *infer.Response) {
	if c.ended {
		free(state)
		return
	}
	c.again, c.state, c.ended = true, state, true
}

// Again reports whether the call is to run once more.
func (c *Call) Again() bool { return c.again }

// Took notes what the execution cost, for the response that is still to be handed on.
func (c *Call) Took(t infer.Timings) {
	if c.response != nil {
		t.Queue = c.Queue
		c.response.Timings = t
	}
}

// deliver hands the final response on and says how the call ended.
func (c *Call) deliver() error {
	if len(c.kept) > 0 {
		c.flush()
	}
	switch {
	case c.err != nil:
		free(c.response)
		return c.err
	case !c.ended:
		return infer.Errorf(infer.Internal, "the backend ended an execution without answering the request")
	case c.response == nil: // it has ended by itself, or asks for another run where there is none: in a warm-up
		free(c.state)
		return nil
	}
	defer free(c.response)
	return c.sink(c.response)
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
