package python

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
	"conch/engine/metrics/own"
)

// instance is a process that runs a model.
type instance struct {
	model   *model
	name    string
	outputs []string // of the config, with the states that the backend keeps
	process *process
	done    chan done     // of its setup
	models  infer.Handler // nil before Calls
	asks    asks

	debugger debugger
	probing  probing

	sending sync.Mutex // guards what follows; batches are sent in the order of the line
	frame   []byte     // of the last batch, to be used again
	next    uint64     // handle

	spare sync.Pool // of running

	mu   sync.Mutex // guards what follows, and the batch that runs
	line line
	gone bool // the process has died

	making context.Context // of NewInstance, until initialize has returned; then nil

	open  map[uint64]*reply
	calls map[uint64]*call
	ended chan struct{} // closed at the end of the current execution, where somebody waits for it
}

var (
	_ backend.Instance = (*instance)(nil)
	_ backend.Mortal   = (*instance)(nil)
	_ backend.Caller   = (*instance)(nil)

	_ backend.Interrupter    = (*instance)(nil)
	_ backend.MemoryReporter = (*instance)(nil)
)

func newInstance(ctx context.Context, m *model, name string) *instance {
	in := &instance{
		model: m, name: name, making: ctx, done: make(chan done, 1), next: 1,
		open: map[uint64]*reply{}, calls: map[uint64]*call{},
	}
	in.asks = asks{spec: m.spec, families: map[int]*own.Family{}, metrics: map[int]*own.Metric{}}
	for _, out := range m.spec.Config.GetOutput() {
		in.outputs = append(in.outputs, out.Name)
	}
	for _, s := range m.spec.Config.GetSequenceBatching().GetState() {
		if m.keepsStates && !slices.Contains(in.outputs, s.OutputName) {
			in.outputs = append(in.outputs, s.OutputName)
		}
	}
	return in
}

// Calls implements backend.Caller.
func (in *instance) Calls(models infer.Handler) { in.models = models }

// Died implements backend.Mortal.
func (in *instance) Died() <-chan struct{} { return in.process.dead }

// Err implements backend.Mortal.
func (in *instance) Err() error { return in.process.err }

// stackPatience is how long a process may take to write where it is, before it is ended.
const stackPatience = 500 * time.Millisecond

// Interrupt ends the process. Its last lines say where the execution was.
func (in *instance) Interrupt() {
	in.process.askForStack()
	time.AfterFunc(stackPatience, func() { in.process.kill(errInterrupted) })
}

var errInterrupted = errors.New("its execution was interrupted")

// Memory implements backend.MemoryReporter: what the process has for itself, and what it shares with the engine.
func (in *instance) Memory() []backend.Memory {
	own, ok := in.process.memory()
	if !ok {
		return nil
	}
	return []backend.Memory{{Bytes: own}}
}

// Close has the model finalize, and ends its process.
func (in *instance) Close() error {
	in.process.stop(stopPatience)
	in.asks.close()
	return nil
}

// received takes a frame of the process. It does not wait.
func (in *instance) received(p *process, h wire.Header, payload []byte) error {
	switch h.Kind {
	case wire.Executed, wire.Failed:
		return in.executed(p, h, payload)
	case wire.Send:
		return in.sent(p, h.ID, payload)
	case wire.Call:
		return in.called(p, h.ID, payload)
	case wire.Quit, wire.Took:
		return in.callee(h, payload)
	case wire.Done:
		if h.ID == debugID {
			return in.debugger.answer(payload)
		}
		return tellDone(in.done, payload)
	case wire.Profiled:
		return in.profiled(payload)
	case wire.Ask:
		return in.asked(p, h.ID, payload)
	case wire.Tell:
		return in.told(payload)
	}
	return wire.ErrBroken
}

// idle implements receiver. A decoupled model sends what nobody waits for at that moment.
func (in *instance) idle() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.making == nil && !in.model.decoupled() && len(in.line.open)+len(in.open)+len(in.calls) == 0
}

// finish answers the requests of an execution. What the model has sent of a request before goes first.
func (in *instance) finish(run *running, got event) {
	for _, act := range in.settle(run, got) {
		act()
	}
}

// settle ends an execution, and returns what comes after it, without the lock.
func (in *instance) settle(run *running, got event) []func() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.line.settled(run)
	run.tellProfile(in.name)
	switch got.what {
	case failed:
		return in.fail(run, failure(got.text))
	case executed:
		return in.answer(run)
	default:
		return in.fail(run, in.unhealthy())
	}
}

// failure returns the error that Failed tells. Without a text the process has not run the batch, for which nobody waits.
func failure(text []byte) error {
	if len(text) == 0 {
		return infer.Errorf(infer.Cancelled, "the request was cancelled before it began")
	}
	return infer.Errorf(infer.Internal, "%s", text)
}

func (in *instance) fail(run *running, err error) []func() {
	var acts []func()
	for i := range run.later {
		acts = append(acts, in.after(run, i, func() { run.batch.Fail(i, err) }))
	}
	return acts
}

// after returns what does something once all that the model has sent of a request is passed on. The request is open no more.
func (in *instance) after(run *running, i int, do func()) func() {
	p := run.later[i]
	if p == nil {
		return do
	}
	delete(in.open, p.handle)
	return func() {
		p.end()
		do()
	}
}

// answer returns what passes the results of a batch on, without the lock.
func (in *instance) answer(run *running) []func() {
	var acts []func()
	act := func(i int, do func()) { acts = append(acts, in.after(run, i, do)) }
	for i := range run.later {
		if i >= len(run.results) {
			in.process.kill(wire.ErrBroken)
			act(i, func() { run.batch.Fail(i, wire.ErrBroken) })
			continue
		}
		got := &run.results[i]
		switch got.what {
		case wire.Answered:
			act(i, in.respond(run, i, got.reply))
		case wire.Later:
			in.laterOf(run, i)
		case wire.Again:
			act(i, func() { run.batch.Reschedule(i, nil) })
		}
	}
	return acts
}

// respond returns what answers a request with what the model returned.
func (in *instance) respond(run *running, i int, reply wire.Reply) func() {
	in.tellUnknown(reply.Outputs)
	response, err := responseOf(in.process, reply, in.wants(run, i))
	if err != nil {
		return func() { run.batch.Fail(i, err) }
	}
	response.Final = true
	return func() { run.batch.Respond(i, response) }
}

// unhealthy is the error of requests whose process has died: Triton's sentence, and why.
func (in *instance) unhealthy() error {
	why := in.process.err.Error()
	return infer.Errorf(infer.Internal, "Stub process '%s' is not healthy. %s%s", in.name, strings.ToUpper(why[:1]), why[1:])
}
