package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
)

// Executor is one instance. It gets one batch at a time. Before it returns, it ends every call of the batch by
// Respond, Fail or Reschedule, or takes the call out of the execution with Later.
type Executor interface {
	Execute(ctx context.Context, calls []*Call)
}

// Eager is an Executor that takes calls before it has finished those that run. Execute may then be called by several goroutines
// at the same time. The executor runs the calls in order, and calls Began for each.
type Eager interface {
	Executor
	// Ahead returns how many executions it takes beside the one that runs.
	Ahead() int
}

// Gauge counts the requests that wait for an instance: 1 when one begins to wait, -1 when it stops.
type Gauge interface {
	Queued(delta int64)
}

// Call is one request's turn on an instance.
type Call struct {
	Request *infer.Request
	Queue   time.Duration // how long it waited

	ctx   context.Context // the client's
	since time.Time       // when it began to wait; zero where nobody asks
	gauge Gauge           // that counts it as waiting; nil when it does not wait
	past  Gauge           // that counted it as waiting before it began
	outcome

	// mu guards gone and the creation of late. It is held while an answer is passed to the client during the
	// execution, because the execution may be given up at the same time.
	mu   sync.Mutex
	gone bool // nobody waits any more
}

// outcome is the result of a call's execution. It belongs to the executor until Execute has returned, then to the
// goroutine that waits for the answer.
type outcome struct {
	stream
	response *infer.Response // the last one; it is passed on when the instance is free again
	ended    bool
	again    bool            // it runs once more
	state    *infer.Response // the state for that run
	late     *Reply          // sends the answers from now on; nil for an ordinary call
}

// NewCall returns a call for an instance that runs without a scheduler. End returns how the call
// ended.
func NewCall(ctx context.Context, r *infer.Request, sink infer.Sink) *Call {
	c := &Call{}
	c.start(ctx, r, sink)
	return c
}

// start sets an empty call up for a request.
func (c *Call) start(ctx context.Context, r *infer.Request, sink infer.Sink) {
	c.Request, c.ctx, c.sink = r, ctx, sink
}

// isEager reports whether an executor, or what it wraps (InTurn), takes calls ahead.
func isEager(e Executor) bool {
	if t, ok := e.(*inTurn); ok {
		e = t.Executor
	}
	eager, ok := e.(Eager)
	return ok && eager.Ahead() > 0
}

// Began notes when the executor began the call. An Eager one may have let it wait until then.
func (c *Call) Began(at time.Time) {
	if !c.since.IsZero() {
		c.Queue = at.Sub(c.since)
	}
	c.waitsNoMore()
}

// waitsNoMore ends the waiting of a call. Its executor has begun it, or has ended it without that.
func (c *Call) waitsNoMore() {
	if c.gauge != nil {
		c.gauge.Queued(-1)
		c.past, c.gauge = c.gauge, nil
	}
}

// WaitsOn notes that the executor had not begun the call after all.
func (c *Call) WaitsOn() {
	if c.past != nil {
		c.past.Queued(1)
		c.past, c.gauge = nil, c.past
	}
}

// clear empties the call, so that another request can use its memory.
func (c *Call) clear() {
	c.Request, c.Queue, c.ctx, c.since, c.past, c.outcome, c.gone = nil, 0, nil, time.Time{}, nil, outcome{}, false
}

// End passes the final response to the sink and returns how the call ended. It waits for late
// answers.
func (c *Call) End() error { return c.deliver() }

// Respond answers the call. The final response goes to the client when the instance is free for other
// requests; any other response goes at once.
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
	case c.err != nil: // nothing more leaves
		free(r)
		c.ended = true
	default:
		c.response, c.ended = r, true
	}
}

// Fail ends the call with an error. It counts as a failure, also where the error is the one of a request that was turned away: an answer
// may find no memory.
func (c *Call) Fail(err error) {
	err = infer.Ran(err)
	if c.late != nil {
		c.late.Fail(err)
	} else if !c.ended {
		c.err, c.ended = err, true
	}
}

// Later takes the call out of the execution: its answers come through the Reply, even after Execute has returned.
// Call it while Execute runs, at most once, for a call that has no final answer yet.
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

// Reschedule ends the call for this execution and runs it again as the next of its sequence. A model of an iterative
// sequence does so until it has its answer. state, which may be nil, holds the outputs that are states. A Reply of
// the call is useless afterwards.
func (c *Call) Reschedule(state *infer.Response) {
	if c.late != nil {
		if s, open := c.late.detach(); open {
			c.mu.Lock()
			c.stream, c.late, c.ended = s, nil, false
			c.mu.Unlock()
		}
	}
	if c.ended {
		free(state)
		return
	}
	c.again, c.state, c.ended = true, state, true
}

// Again reports whether the call runs once more.
func (c *Call) Again() bool { return c.again }

// Took records what the execution cost, for the final response. It returns true when the request counts as answered
// from now on. More answers may still come, but they are not counted (docs/triton/metrics.md, "What counts as what").
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

// abandon gives up a call whose executor does not return. Nothing reaches its client any more.
func (c *Call) abandon(why error) {
	c.mu.Lock()
	c.gone = true
	late := c.late
	c.stream.discard()
	c.mu.Unlock()
	if late != nil {
		late.abandon(why)
	}
}

// forget ends a call that returned after it was given up. It waits for no client: its own goroutine may be in abandon still, and wait for
// its client there.
func (c *Call) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop()
}

// discard ends a call that nobody waits for any more. It waits for an answer that is being passed on.
func (o *outcome) discard() {
	o.drop()
	if o.late != nil {
		o.late.abandon(errAbandoned)
	}
}

// drop frees the outcome of a call that nobody waits for any more, and waits for no client.
func (o *outcome) drop() {
	free(o.response)
	free(o.state)
	o.stream.discard()
	if o.late != nil {
		o.late.drop(errAbandoned)
	}
}

// hold counts the final response, which waits for the answers of earlier requests.
func (o *outcome) hold() {
	if o.response == nil || o.err != nil {
		return
	}
	if err := o.keepLast(o.response); err != nil {
		free(o.response)
		o.response = nil
	}
}

// deliver passes the final response on and returns how the call ended.
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
	case o.response == nil: // it ended without a response, or asks for another run in a warm-up, which has no other run
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

// Gone returns the error for a request whose client left while the request was queued.
func Gone(ctx context.Context) error {
	return infer.Errorf(infer.Cancelled, "request was cancelled while it waited for an instance: %v", context.Cause(ctx))
}
