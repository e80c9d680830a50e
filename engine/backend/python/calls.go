package python

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

// call is a request that the model makes to another one.
type call struct {
	in     *instance
	from   *process
	number uint64
	asked  wire.Invocation
	quit   context.CancelFunc
	room   chan struct{} // has an element for each answer that Python has not taken
	ended  atomic.Bool   // the final answer has been sent
}

// called begins a call.
func (in *instance) called(p *process, number uint64, payload []byte) error {
	r := wire.NewReader(payload, p.shared)
	c := &call{in: in, from: p, number: number, asked: r.Invocation(), room: make(chan struct{}, window)}
	if err := r.Err(); err != nil {
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	ctx := in.contextOf(c.asked.Parent)
	if ctx == nil {
		p.shared.Release(c.asked.Segment)
		return p.beside(func() { c.refuse("BLS is only supported during the 'execute' function.") })
	}
	ctx, c.quit = p.context(ctx)
	in.calls[number] = c
	err := p.beside(func() { c.run(ctx) })
	if err != nil { // the process is ended
		c.quit()
		delete(in.calls, number)
		p.shared.Release(c.asked.Segment)
	}
	return err
}

// contextOf returns the context of calls for a request, or nil when no request is open. A thread of the model may not know for
// which request it calls; its calls are those of any request that is open, and do not end with it. So are those that it makes while a
// decoupled model executes a batch of several requests: the batch's context ends with the execution, and its threads go on.
func (in *instance) contextOf(parent uint64) context.Context {
	if p := in.open[parent]; p != nil {
		return p.to.Context()
	}
	if run := in.line.current(); run != nil {
		if in.model.decoupled() && len(run.later) > 1 {
			return context.WithoutCancel(run.ctx)
		}
		return run.ctx
	}
	for _, p := range in.open {
		return context.WithoutCancel(p.to.Context())
	}
	return nil
}

// callee takes what the model says of a call that it made.
func (in *instance) callee(h wire.Header, payload []byte) error {
	in.mu.Lock()
	c := in.calls[h.ID]
	in.mu.Unlock()
	switch {
	case c == nil: // it has ended
	case h.Kind == wire.Quit:
		c.quit()
	default:
		for range wire.NewReader(payload, nil).Uint32() {
			select {
			case <-c.room:
			default:
				return wire.ErrBroken
			}
		}
	}
	return nil
}

// run makes the request, and sends the answers to Python.
func (c *call) run(ctx context.Context) {
	defer c.forget()
	defer c.from.shared.Release(c.asked.Segment)
	defer c.quit()
	if c.asked.Refused != nil {
		c.refuse(refusal(c.asked.Model, c.asked.Refused))
		return
	}
	q := &c.asked.Request
	r := &infer.Request{
		ID: q.ID, Model: c.asked.Model, Version: c.asked.Version, Inputs: q.Inputs, Priority: q.Priority,
		Timeout:  time.Duration(min(q.Timeout, math.MaxInt64/1000)) * time.Microsecond,
		Single:   !c.asked.Decoupled,
		KeepsOn:  c.asked.Decoupled, // what comes after an error is for the caller too
		Sequence: infer.Sequence{ID: q.Correlation, Name: q.Name, Start: q.Flags&wire.SequenceStart != 0, End: q.Flags&wire.SequenceEnd != 0},
	}
	for _, name := range q.Outputs {
		r.Outputs = append(r.Outputs, infer.RequestedOutput{Name: name})
	}
	if q.Parameters != "" {
		parameters, err := readParameters(q.Parameters)
		if err != nil {
			c.refuse("Model " + c.asked.Model + " - Error when running inference: " + err.Error())
			return
		}
		r.Parameters = parameters
	}
	err := c.in.models.Infer(ctx, r, func(resp *infer.Response) error { return c.answer(ctx, resp) })
	switch {
	case c.ended.Load():
	case err != nil:
		c.refuse(refusal(c.asked.Model, err))
	default:
		c.send(nil, true)
	}
}

// refusal is what Triton says of a request that it does not run; an error of the model itself stays as it is, and so does
// that of an ensemble in which a step was refused.
func refusal(model string, err error) string {
	why := err.Error()
	code := infer.CodeOf(err)
	var answered ofModel
	switch {
	case errors.As(err, &answered), infer.FateOf(err) == infer.Expired, code == infer.Internal, code == infer.Cancelled,
		strings.HasPrefix(why, "in ensemble '"):
		return why
	case strings.HasPrefix(why, "Request for unknown model: "):
		why = "Failed for execute the inference request. Model '" + model + "' is not ready."
	}
	return "Model " + model + " - Error when running inference: " + why
}

// answer sends an answer, when Python has room for it.
func (c *call) answer(ctx context.Context, r *infer.Response) error {
	if !r.Final {
		select {
		case c.room <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	reply := &wire.Reply{Outputs: r.Outputs}
	if r.Err != nil {
		reply = &wire.Reply{Failed: true, Code: uint32(infer.Internal), Error: refusal(c.asked.Model, r.Err)}
	}
	if len(r.Parameters) > 0 {
		text, err := json.Marshal(r.Parameters)
		if err != nil {
			return err
		}
		reply.Parameters = string(text)
	}
	c.send(reply, r.Final)
	return nil
}

// refuse sends an error, which is the last answer.
func (c *call) refuse(text string) {
	c.send(&wire.Reply{Failed: true, Code: uint32(infer.Internal), Error: text}, true)
}

// send sends an answer, unless the final one has been sent.
func (c *call) send(reply *wire.Reply, final bool) {
	if final && c.ended.Swap(true) || !final && c.ended.Load() {
		return
	}
	if final {
		c.forget() // before the process goes on: nothing more is expected for this call
	}
	var to wire.Placing = wire.Inline{}
	if reply != nil {
		placing, sent := c.from.shared.place(sizeOf(reply.Outputs))
		defer sent()
		to = placing
	}
	frame := wire.AppendPart(wire.Begin(nil, wire.Answer, c.number), final, reply != nil)
	if reply != nil {
		frame = wire.AppendReply(frame, reply, to)
	}
	_ = c.from.send(wire.Finish(frame))
}

// quitCalls ends all calls of the model, also those whose models do not react to that.
func (in *instance) quitCalls() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, c := range in.calls {
		c.quit()
		go c.refuse("The call was ended, because the model that made it was interrupted.")
	}
}

func (c *call) forget() {
	c.in.mu.Lock()
	defer c.in.mu.Unlock()
	delete(c.in.calls, c.number)
}
