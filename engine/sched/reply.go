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

	mu sync.Mutex // guards what follows; held while a response is passed on
	stream
	state    replyState
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
	p := &Reply{done: make(chan struct{}), stream: s, timings: infer.Timings{Queue: queue}}
	p.ctx, p.end = context.WithCancel(ctx)
	return p
}

// Context returns a context that ends when the request has its final answer, or when nobody waits
// for it any more.
func (p *Reply) Context() context.Context { return p.ctx }

// Send sends a response; the final one ends the request. The error says why the client gets no more. The
// response's memory is freed in any case.
func (p *Reply) Send(r *infer.Response) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != replyOpen {
		free(r)
		return p.closed()
	}
	r.Late = p.counted
	r.Timings.Queue = p.timings.Queue
	if !r.Final {
		p.send(r)
		return p.err
	}
	if p.keeper != nil {
		p.keeper.keep(r)
	}
	p.response = r
	p.close(replyEnded)
	return nil
}

// Fail ends the request with an error.
func (p *Reply) Fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != replyOpen {
		return
	}
	if p.err == nil {
		p.err = err
	}
	p.close(replyEnded)
}

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
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state != replyOpen {
		return stream{}, false
	}
	s, p.stream = p.stream, stream{}
	p.close(replyGone)
	return s, true
}

// took records what the execution cost, when it has ended. It returns true when the request counts as a success from
// now on.
func (p *Reply) took(t infer.Timings) (counts bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timings = t
	p.counted = p.err == nil && p.state != replyGone
	return p.counted
}

// abandon gives the request up. It waits for a response that is being passed on.
func (p *Reply) abandon(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == replyOpen {
		p.err = why
		p.close(replyGone)
	}
	free(p.response)
	p.response = nil
	p.discard()
}

// wait waits for the end and passes the final response on. No sink is called after it.
func (p *Reply) wait() error {
	p.begin()
	select {
	case <-p.done:
	case <-p.ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == replyOpen { // the client has left
		p.err = infer.Errorf(infer.Cancelled, "request was cancelled before its last response: %v", context.Cause(p.ctx))
		p.close(replyGone)
	}
	p.discard()
	err := p.err
	if err == nil && p.response != nil {
		p.response.Timings, p.response.Late = p.timings, p.counted
		err = p.sink(p.response)
	}
	free(p.response)
	p.response, p.state = nil, replyGone
	if err != nil && p.counted {
		return infer.Counted(err)
	}
	return err
}

// begin sends the responses that had to wait for the answers of earlier requests.
func (p *Reply) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = nil
	p.flush()
}
