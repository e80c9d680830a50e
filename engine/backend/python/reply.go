package python

import (
	"slices"
	"sync"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

// window is how many responses of a request a process may send before the first of them is taken.
const window = 16

// reply passes on the responses of a request that come by Send.
type reply struct {
	in        *instance
	handle    uint64
	to        backend.Responder
	outputs   []string // that the client wants; nil for all
	responses chan part
	once      sync.Once
	over      chan struct{} // closed by end
}

// part is a response, or an error.
type part struct {
	response *infer.Response
	err      error
}

// later gives request i of the current execution a Responder, unless it has one. The caller holds in.mu.
func (in *instance) later(i int) *reply { return in.laterOf(in.run, i) }

func (in *instance) laterOf(run *running, i int) *reply {
	if p := run.later[i]; p != nil {
		return p
	}
	p := &reply{
		in: in, handle: run.first + uint64(i), to: run.batch.Later(i), responses: make(chan part, window+1), over: make(chan struct{}),
	}
	for _, out := range run.batch.Requests[i].Outputs {
		p.outputs = append(p.outputs, out.Name)
	}
	run.later[i], in.open[p.handle] = p, p
	go p.run()
	return p
}

// end lets the reply end without a further response.
func (p *reply) end() { p.once.Do(func() { close(p.over) }) }

// sent takes a response of a request.
func (in *instance) sent(from *process, handle uint64, payload []byte) error {
	r := wire.NewReader(payload, from.shared)
	final, has := r.Uint32() != 0, r.Uint32() != 0
	var reply wire.Reply
	if has {
		reply = r.Reply()
	}
	if err := r.Err(); err != nil {
		return err
	}
	p := in.replyOf(handle, final)
	if p == nil {
		from.shared.release(reply.Segment)
		go func() { in.took(from, handle, 1, true) }()
		return nil
	}
	got := part{response: &infer.Response{}}
	if has {
		got.response, got.err = responseOf(from, reply, p.wants)
	}
	if got.err == nil {
		got.response.Final = final
	}
	select {
	case p.responses <- got:
		return nil
	default:
		return wire.ErrBroken // it does not keep to the window
	}
}

// replyOf returns the reply of a request; nil when it has ended. With its final response it is open no more.
func (in *instance) replyOf(handle uint64, final bool) *reply {
	in.mu.Lock()
	defer in.mu.Unlock()
	p := in.open[handle]
	if run := in.run; p == nil && run != nil && handle >= run.first && handle < run.first+uint64(len(run.later)) {
		if i := int(handle - run.first); run.later[i] == nil {
			p = in.later(i)
		}
	}
	if final {
		delete(in.open, handle)
	}
	return p
}

func (p *reply) wants(name string) bool { return p.outputs == nil || slices.Contains(p.outputs, name) }

// run passes responses on until the final one.
func (p *reply) run() {
	defer p.drop()
	givenUp := p.to.Context().Done()
	for {
		select {
		case got := <-p.responses:
			if p.pass(got) {
				return
			}
		case <-givenUp:
			givenUp = nil
			_ = p.in.process.send(wire.Finish(wire.Begin(nil, wire.Cancel, p.handle)))
		case <-p.over:
			return
		case <-p.in.process.dead:
			p.to.Fail(p.in.unhealthy())
			return
		}
	}
}

// drop frees the responses that nobody gets.
func (p *reply) drop() {
	for {
		select {
		case got := <-p.responses:
			if got.err == nil && got.response.Release != nil {
				got.response.Release()
			}
		default:
			return
		}
	}
}

// pass passes a response on, and tells the process. It reports whether the request has ended.
func (p *reply) pass(got part) bool {
	if got.err != nil {
		p.to.Fail(got.err)
		p.forget()
		return true
	}
	err := p.to.Send(got.response)
	if got.response.Final {
		return true
	}
	if err != nil {
		p.forget()
	}
	p.in.took(p.in.process, p.handle, 1, err != nil)
	return err != nil
}

func (p *reply) forget() {
	p.in.mu.Lock()
	defer p.in.mu.Unlock()
	delete(p.in.open, p.handle)
}

// took tells the process that responses of a request have been taken.
func (in *instance) took(to *process, handle uint64, count uint32, ended bool) {
	_ = to.send(wire.Finish(wire.AppendSent(wire.Begin(nil, wire.Sent, handle), count, ended)))
}
