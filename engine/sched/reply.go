package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
)

// Reply sends the answers of a request whose execution may be over: any number, from any goroutine. When the request
// is given up, because its client left or its instance was lost, its answers are dropped.
//
// The goroutine of the request waits meanwhile, and passes the final response on. The goroutine that calls Send
// passes on the others, and so waits for a slow client.
type Reply struct {
	ctx context.Context
	end context.CancelFunc
	// done is closed when the final answer or an error was sent, or the request was given up.
	done chan struct{}

	// sending has room for one goroutine, which may use stream. It stays inside while a slow client takes a response, so
	// nobody who works for other requests may wait for it.
	sending chan struct{}
	stream

	mu       sync.Mutex // guards what follows; not held while a response is passed on
	inside   bool       // a goroutine is in sending
	state    replyState
	failed   error           // what the client gets instead of further responses
	failing  bool            // an error will end it
	response *infer.Response // the final one
	timings  infer.Timings
	counted  bool // it counted as a success when the execution ended
}

// replyState is what a Reply may still do.
type replyState int

const (
	replyOpen replyState = iota
	replyEnded
	replyGone // nobody waits for it
)

// The errors for a backend that goes on after the end.
var (
	errClosed    = infer.Errorf(infer.Internal, "Unable to send response. Response sender has been closed.")
	errAbandoned = infer.Errorf(infer.Cancelled, "no client waits for an answer to the request any more")
)

func newReply(ctx context.Context, s stream, queue time.Duration) *Reply {
	p := &Reply{done: make(chan struct{}), sending: make(chan struct{}, 1), stream: s, timings: infer.Timings{Queue: queue}}
	p.ctx, p.end = context.WithCancel(ctx)
	return p
}

// Context returns a context that ends when the request has its final answer, or when nobody waits
// for it any more.
func (p *Reply) Context() context.Context { return p.ctx }

// Send sends a response; the final one ends the request. The error says why the client gets no more. The
// response's memory is freed in any case.
func (p *Reply) Send(r *infer.Response) error {
	p.enterSending()
	defer p.leaveSending()
	if err := p.accept(r); err != nil {
		free(r)
		return err
	}
	if !r.Final {
		p.send(r)
		return p.failSent()
	}
	if p.keeper != nil {
		p.keeper.keep(r)
	}
	return p.finish(r)
}

// enterSending waits until no other goroutine is in sending.
func (p *Reply) enterSending() {
	p.sending <- struct{}{}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inside = true
}

// leaveSending leaves sending. When nobody waits for the request any more, nothing of it stays.
func (p *Reply) leaveSending() {
	p.mu.Lock()
	p.inside = false
	p.clean()
	p.mu.Unlock()
	<-p.sending
}

// clean frees what waits to be passed on, when nobody waits for it. p.mu is held, and no goroutine is in sending.
func (p *Reply) clean() {
	if p.state != replyGone {
		return
	}
	p.discard()
	free(p.response)
	p.response = nil
}

// accept prepares a response, unless the request has ended.
func (p *Reply) accept(r *infer.Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != replyOpen {
		return p.closed()
	}
	r.Late = p.counted
	r.Timings.Queue = p.timings.Queue
	return nil
}

// failSent ends the request with the error that stopped its responses, and returns that error. Without it the client would wait for a
// backend that sends no end.
func (p *Reply) failSent() error {
	if p.err == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = infer.Ran(p.err)
	}
	if p.state == replyOpen && p.ctx.Err() == nil {
		p.close(replyEnded)
	}
	return p.err
}

// finish takes the final response.
func (p *Reply) finish(r *infer.Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != replyOpen { // meanwhile
		free(r)
		return p.closed()
	}
	err := p.keepLast(r)
	if err != nil {
		free(r)
		r, p.failed = nil, err
	}
	p.response = r
	p.close(replyEnded)
	return err
}

// Fail ends the request with an error. It does not wait for a slow client.
func (p *Reply) Fail(err error) {
	err = infer.Ran(err)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != replyOpen {
		return
	}
	if p.failed == nil {
		p.failed = err
	}
	p.close(replyEnded)
}

// Failing tells that Fail follows.
func (p *Reply) Failing() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failing = true
}

// closed returns why no response is taken. p.mu is held.
func (p *Reply) closed() error {
	if p.state == replyGone {
		return errAbandoned
	}
	return errClosed
}

// close ends the reply. p.mu is held.
func (p *Reply) close(s replyState) {
	p.state = s
	close(p.done)
	p.end()
}

// detach takes the stream back, unless the request has ended.
func (p *Reply) detach() (s stream, open bool) {
	if !p.leave(nil) {
		return stream{}, false
	}
	p.enterSending()
	defer p.leaveSending()
	s, p.stream = p.stream, stream{}
	return s, true
}

// leave closes an open reply for which nobody waits any more. It returns false when the request has ended.
func (p *Reply) leave(why error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != replyOpen {
		return false
	}
	if why != nil {
		p.failed = why
	}
	p.close(replyGone)
	return true
}

// took records what the execution cost, when it has ended. It returns true when the request counts as a success from
// now on.
func (p *Reply) took(t infer.Timings) (counts bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timings = t
	p.counted = p.failed == nil && !p.failing && p.state != replyGone
	return p.counted
}

// abandon gives the request up. It waits for a response that is being passed on.
func (p *Reply) abandon(why error) {
	p.drop(why)
	p.enterSending()
	p.leaveSending()
}

// drop gives the request up, as abandon does, and waits for no client: who passes a response on meanwhile frees the others.
func (p *Reply) drop(why error) {
	p.leave(why)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = replyGone
	if !p.inside {
		p.clean()
	}
}

// wait waits for the end and passes the final response on. No sink is called after it.
func (p *Reply) wait() error {
	p.begin()
	select {
	case <-p.done:
	case <-p.ctx.Done():
		p.leave(infer.Errorf(infer.Cancelled, "request was cancelled before its last response: %v", context.Cause(p.ctx)))
	}
	p.enterSending()
	defer p.leaveSending()
	p.discard()
	response, counted, err := p.result()
	if err == nil && response != nil {
		err = p.sink(response)
	}
	free(response)
	if err != nil && counted {
		return infer.Counted(err)
	}
	return err
}

// result takes the final response, or the error, and lets nothing follow.
func (p *Reply) result() (r *infer.Response, counted bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, p.response, p.state = p.response, nil, replyGone
	if r != nil {
		r.Timings, r.Late = p.timings, p.counted
	}
	return r, p.counted, p.failed
}

// begin sends the responses that had to wait for the answers of earlier requests.
func (p *Reply) begin() {
	p.enterSending()
	defer p.leaveSending()
	p.before = nil
	p.flush()
	_ = p.failSent()
}
