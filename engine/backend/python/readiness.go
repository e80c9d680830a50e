package python

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

var _ backend.Prober = (*instance)(nil)

// probing asks the model's is_ready. Callers who ask at the same time get the same answer, so that a function that hangs
// holds one goroutine at most.
type probing struct {
	has bool // the model has an is_ready; set when the instance is made

	mu      sync.Mutex // guards what follows
	current *probe     // nil when no question is open
	last    string     // what the last answer said; "" for ready
}

// probe is a question that is open.
type probe struct {
	done chan struct{} // closed when err is set
	err  error
}

// Ready implements backend.Prober. The sentences are Triton's.
func (in *instance) Ready(ctx context.Context) error {
	if !in.probing.has {
		return nil
	}
	q := in.ask()
	select {
	case <-q.done:
		return q.err
	case <-in.process.dead:
		return in.unhealthy()
	case <-ctx.Done():
		err := infer.Errorf(infer.Unavailable, "Timed out waiting for user-defined is_ready() response")
		if errors.Is(ctx.Err(), context.DeadlineExceeded) { // else the client has gone
			in.probing.note(in, err)
		}
		return err
	}
}

// ask returns the question that is open, or begins one.
func (in *instance) ask() *probe {
	p := &in.probing
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		q := &probe{done: make(chan struct{})}
		p.current = q
		go in.answerProbe(q)
	}
	return p.current
}

// answerProbe asks the process, and waits for its answer or its end.
func (in *instance) answerProbe(q *probe) {
	said, err := in.process.isReady()
	p := &in.probing
	switch {
	case err != nil:
		in.process.kill(damaged(err))
		<-in.process.dead
		q.err = in.unhealthy()
	case said.Error != "":
		q.err = infer.Errorf(infer.Internal, "%s", said.Error)
	case string(said.Value) != "true":
		q.err = infer.Errorf(infer.Unavailable, "Model '%s' is not ready (user-defined check failed).", in.name)
	}
	p.mu.Lock()
	p.current = nil
	p.mu.Unlock()
	if err == nil {
		p.note(in, q.err)
	}
	close(q.done)
}

// damaged returns an error when it is about a message, and nil when it is about a connection: the process has ended then, or
// does so now.
func damaged(err error) error {
	if errors.Is(err, wire.ErrBroken) || errors.Is(err, errUnread) {
		return err
	}
	return nil
}

// note writes to the model's log when its answer is another one than the last.
func (p *probing) note(in *instance, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case text == p.last:
	case text == "":
		in.model.spec.Log.Info("is_ready says that the model is ready again", "instance", in.name)
	default:
		in.model.spec.Log.Warn("the model is not ready: "+text, "instance", in.name)
	}
	p.last = text
}

// isReady calls is_ready in the process. One caller at a time does so.
func (p *process) isReady() (said done, err error) {
	if _, err := p.probe.Write(wire.Finish(wire.Begin(nil, wire.Ready, 0))); err != nil {
		return done{}, err
	}
	head := make([]byte, wire.HeaderSize)
	if _, err := io.ReadFull(p.probe, head); err != nil {
		return done{}, err
	}
	h := wire.ReadHeader(head)
	if h.Kind != wire.Done || h.Length > longestProbe {
		return done{}, wire.ErrBroken
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(p.probe, payload); err != nil {
		return done{}, err
	}
	if json.Unmarshal(payload, &said) != nil {
		return done{}, wire.ErrBroken
	}
	return said, nil
}

// longestProbe is the length of the longest answer of is_ready that is read: an error with its traceback.
const longestProbe = 1 << 20
