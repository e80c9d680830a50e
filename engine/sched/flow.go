package sched

import (
	"context"
	"sync"
	"time"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// flow is one request on its way through an ensemble.
type flow struct {
	e       *Ensemble
	r       *infer.Request
	wanted  []bool // by step: somebody needs what it makes
	running sync.WaitGroup

	mu      sync.Mutex // guards what follows, until running is done
	values  []value    // by tensor
	missing []int      // by step: inputs that are not decided yet
	err     error      // the first failure
	timings infer.Timings
	frees   []func()
}

// value is a tensor that is there, or is known not to come: an optional one that was left out.
type value struct {
	tensor.Tensor
	batch   int64 // of the request that brought it
	decided bool
	absent  bool
}

func newFlow(e *Ensemble, r *infer.Request) *flow {
	f := &flow{
		e: e, r: r, wanted: make([]bool, len(e.steps)),
		values: make([]value, len(e.tensors)), missing: make([]int, len(e.steps)),
	}
	for _, out := range e.outputs {
		if r.Wants(out.name) {
			f.want(out.tensor)
		}
	}
	for i, s := range e.steps {
		f.missing[i] = len(s.inputs)
	}
	return f
}

// want marks the steps that a tensor comes from.
func (f *flow) want(t int) {
	maker := f.e.tensors[t].maker
	if maker < 0 || f.wanted[maker] {
		return
	}
	f.wanted[maker] = true
	for _, in := range f.e.steps[maker].inputs {
		f.want(in.tensor)
	}
}

// begin puts the request's tensors in and gives the steps that can run.
func (f *flow) begin() (ready []int) {
	for t := range f.e.tensors {
		name := f.e.tensors[t].name
		if _, given := f.e.inputs[name]; !given {
			continue
		}
		v := value{decided: true, absent: true}
		if in := f.r.Input(name); in != nil {
			v = value{Tensor: *in, batch: f.r.Batch, decided: true}
		}
		ready = append(ready, f.put(t, v)...)
	}
	return ready
}

// put decides a tensor and gives the steps that waited for nothing else. f.mu is held, or nothing runs yet.
func (f *flow) put(t int, v value) (ready []int) {
	if f.values[t].decided {
		return nil
	}
	f.values[t] = v
	for _, s := range f.e.tensors[t].readers {
		f.missing[s]--
		if f.missing[s] == 0 && f.wanted[s] {
			ready = append(ready, s)
		}
	}
	return ready
}

// run runs steps and what follows from them: the first here, the others each in a goroutine of its own.
func (f *flow) run(ctx context.Context, ready []int) {
	for len(ready) > 0 {
		for _, s := range ready[1:] {
			f.running.Go(func() { f.run(ctx, []int{s}) })
		}
		ready = f.step(ctx, ready[0])
	}
}

// step runs one step and gives those that can run now.
func (f *flow) step(ctx context.Context, i int) []int {
	request, err := f.request(ctx, i)
	if err != nil || request == nil {
		return f.fail(err)
	}
	got := &infer.Response{}
	err = f.e.resolver.Infer(ctx, request, func(r *infer.Response) error {
		if !r.Final {
			return infer.Errorf(infer.Unsupported, "step %d gave more than one response: ensembles with decoupled models are not supported", i)
		}
		*got = *r
		r.Release = nil
		return nil
	})
	if err != nil {
		return f.fail(err)
	}
	return f.finish(i, request, got)
}

// request makes a step's request; nil when the flow has failed meanwhile.
func (f *flow) request(ctx context.Context, i int) (*infer.Request, error) {
	s := &f.e.steps[i]
	cfg, err := f.e.resolver.Config(s.model, s.version)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, infer.Errorf(infer.Cancelled, "request was cancelled between the steps of the ensemble")
	}
	request := &infer.Request{
		ID: f.r.ID, Model: s.model, Version: s.version, Parameters: f.r.Parameters,
		Priority: f.r.Priority, Timeout: f.r.Timeout, Sequence: f.r.Sequence, Received: time.Now(),
		Trace: f.r.Trace.Child(i),
	}
	for _, w := range s.inputs {
		v := &f.values[w.tensor]
		if v.absent {
			continue
		}
		t := v.Tensor
		t.Name = w.name
		t.Shape = bridge(t.Shape, v.batch > 0, stepDims(cfg, w.name), cfg.MaxBatchSize > 0)
		request.Inputs = append(request.Inputs, t)
	}
	for _, w := range s.outputs {
		request.Outputs = append(request.Outputs, infer.RequestedOutput{Name: w.name})
	}
	return request, nil
}

// finish takes a step's outputs in.
func (f *flow) finish(i int, request *infer.Request, got *infer.Response) (ready []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if got.Release != nil {
		f.frees = append(f.frees, got.Release)
	}
	f.timings.Input += got.Timings.Input
	f.timings.Infer += got.Timings.Infer
	f.timings.Output += got.Timings.Output
	for _, w := range f.e.steps[i].outputs {
		v := value{decided: true, absent: true}
		if out := got.Output(w.name); out != nil {
			v = value{Tensor: *out, batch: request.Batch, decided: true}
		}
		ready = append(ready, f.put(w.tensor, v)...)
	}
	return ready
}

// fail keeps the first error, under the ensemble's name; nothing new is begun after it.
func (f *flow) fail(err error) []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil && f.err == nil {
		f.err = infer.Errorf(infer.CodeOf(err), "in ensemble '%s', %s", f.e.name, err)
	}
	return nil
}

// release gives back what the steps' responses borrow, unless the ensemble's own response took it over.
func (f *flow) release() { freeAll(f.frees) }

func freeAll(frees []func()) {
	for _, free := range frees {
		free()
	}
}

// deadlock is Triton's sentence for an output that no step has made in the end (triton-config B.10).
const deadlock = "unexpected deadlock, at least one output is not set while no more ensemble steps can be made"

// response puts the ensemble's answer together. It borrows what the steps' responses hold.
func (f *flow) response() (*infer.Response, error) {
	r := &infer.Response{ID: f.r.ID, Timings: f.timings, Final: true}
	for _, out := range f.e.outputs {
		if !f.r.Wants(out.name) {
			continue
		}
		v := &f.values[out.tensor]
		if !v.decided || v.absent {
			return nil, infer.Errorf(infer.InvalidArg, "in ensemble '%s', %s", f.e.name, deadlock)
		}
		t := v.Tensor
		t.Name = out.name
		t.Shape = bridge(t.Shape, v.batch > 0, out.dims, f.e.batching)
		r.Outputs = append(r.Outputs, t)
	}
	frees := f.frees
	f.frees = nil
	r.Release = func() { freeAll(frees) }
	return r, nil
}
