package python

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// window is how many responses of a request a process may send before the first of them is taken.
const window = 16

// reply passes on the responses of a request that come by Send.
type reply struct {
	in        *instance
	handle    uint64
	to        backend.Responder
	wants     func(output string) bool
	responses chan part
	once      sync.Once
	over      chan struct{} // closed by end
	ended     chan struct{} // closed when no more responses are passed on
}

// part is a response, or an error.
type part struct {
	response *infer.Response
	err      error
	final    bool
}

// free frees what nobody gets.
func (p part) free() {
	if p.err == nil && p.response.Release != nil {
		p.response.Release()
	}
}

// laterOf gives request i of a batch a Responder, unless it has one. The caller holds in.mu.
func (in *instance) laterOf(run *running, i int) *reply {
	if p := run.later[i]; p != nil {
		return p
	}
	p := &reply{
		in: in, handle: run.first + uint64(i), to: run.batch.Later(i), wants: in.wants(run, i), responses: make(chan part, window+1),
		over: make(chan struct{}), ended: make(chan struct{}),
	}
	run.later[i], in.open[p.handle] = p, p
	in.process.reading.wake() // its responses may come when no execution reads
	go p.run()
	return p
}

// wants returns which outputs the client of a request gets: what it asks for, of those that the config has. It is asked
// also after Execute has returned, when the request is valid no more.
func (in *instance) wants(run *running, i int) func(string) bool {
	wanted, r := in.outputs, run.batch.Requests[i]
	if len(r.Outputs) > 0 {
		wanted = slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return !r.Wants(name) })
	}
	return func(name string) bool { return slices.Contains(wanted, name) }
}

// tellUnknown writes to the model's log, once for each load, which outputs the program gave that nobody gets. As in Triton the
// request succeeds, so that nothing else would tell of a name that is misspelt, or of a state that the backend does not keep.
func (in *instance) tellUnknown(given []tensor.Tensor) {
	var unknown, lost []string
	states := in.model.spec.Config.GetSequenceBatching().GetState()
	for i := range given {
		name := given[i].Name
		switch {
		case slices.Contains(in.outputs, name):
		case slices.ContainsFunc(states, func(s *modelconfig.ModelSequenceBatching_State) bool { return s.OutputName == name }):
			lost = append(lost, strconv.Quote(name))
		default:
			unknown = append(unknown, strconv.Quote(name))
		}
	}
	if unknown == nil && lost == nil || in.model.toldUnknown.Swap(true) {
		return
	}
	if unknown != nil {
		in.model.spec.Log.Warn("the program gave " + strings.Join(unknown, ", ") + ", which the config does not have: no client gets it")
	}
	if lost != nil {
		in.model.spec.Log.Warn("the program gave the state " + strings.Join(lost, ", ") +
			", which is not kept: as in Triton, the Python backend keeps no states of sequences")
	}
}

// end waits until the responses that the model has sent are passed on, and ends the reply without a further one. It waits
// while the client is slow, but not when the request is given up.
func (p *reply) end() {
	p.once.Do(func() { close(p.over) })
	select {
	case <-p.ended:
	case <-p.to.Context().Done():
	}
}

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
		from.shared.Release(reply.Segment)
		go func() { in.took(from, handle, 1, true) }()
		return nil
	}
	got := part{response: &infer.Response{}, final: final || !in.model.decoupled()}
	if has {
		in.tellUnknown(reply.Outputs)
		got.response, got.err = responseOf(from, reply, p.wants)
	}
	switch {
	case got.err == nil:
		got.response.Final = final
	case got.final:
		p.to.Failing() // before the execution is told to be over
	}
	select {
	case p.responses <- got:
	default:
		got.free()
		return wire.ErrBroken // it does not keep to the window
	}
	select {
	case <-p.ended: // meanwhile, and nobody takes it
		p.drop()
	default:
	}
	return nil
}

// replyOf returns the reply of a request; nil when it has ended. With its final response it is open no more.
func (in *instance) replyOf(handle uint64, final bool) *reply {
	in.mu.Lock()
	defer in.mu.Unlock()
	p := in.open[handle]
	if run, i := in.line.of(handle); p == nil && run != nil && !run.left && run.later[i] == nil {
		p = in.laterOf(run, i)
	}
	if final {
		delete(in.open, handle)
	}
	return p
}

// run passes responses on until the final one.
func (p *reply) run() {
	defer p.drop()
	defer close(p.ended)
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
			p.rest()
			return
		case <-p.in.process.dead:
			if !p.rest() {
				p.to.Fail(p.in.unhealthy())
			}
			return
		}
	}
}

// rest passes on what has come. It reports whether the request has ended with it.
func (p *reply) rest() bool {
	for {
		select {
		case got := <-p.responses:
			if p.pass(got) {
				return true
			}
		default:
			return false
		}
	}
}

// drop frees the responses that nobody gets.
func (p *reply) drop() {
	for {
		select {
		case got := <-p.responses:
			got.free()
		default:
			return
		}
	}
}

// pass passes a response on, and tells the process. It reports whether the request has ended.
func (p *reply) pass(got part) bool {
	if got.err != nil && got.final {
		p.to.Fail(got.err)
		p.forget()
		return true
	}
	if got.err != nil {
		got.response = &infer.Response{Err: got.err}
	}
	err := p.to.Send(got.response)
	if err != nil && got.err != nil {
		p.to.Fail(got.err) // this client takes nothing after an error
	}
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
