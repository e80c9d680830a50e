package sched

import (
	"context"
	"slices"
	"sync"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// flow is one request on its way through an ensemble.
type flow struct {
	plan
	ctx     context.Context
	e       *Ensemble
	r       *infer.Request
	sink    infer.Sink
	running sync.WaitGroup

	// sending is held, before mu, while something is taken in from which a response may follow: responses leave one at a
	// time, and the last one last. An ensemble that answers once needs it not.
	sending sync.Mutex

	mu       sync.Mutex  // guards what follows, until running is done
	tracks   []track     // by tensor
	lines    []*stepLine // by step, in an ensemble that streams
	underway int         // turns that are ready or run
	final    bool        // the last response has been handed on
	err      error       // the first failure
	timings  infer.Timings
}

// turn is one run of a step: on the values at a place in their tracks.
type turn struct {
	step, at int
	inside   bool          // of the step's limit
	admitted chan struct{} // closed when it may run; nil for one that is in no line

	many    bool // the step's model is decoupled
	request infer.Request
	room    [2]tensor.Tensor // for the request's inputs, where that is enough
	last    infer.Response   // the final one
}

func newFlow(ctx context.Context, e *Ensemble, r *infer.Request) *flow {
	f := &flow{ctx: ctx, e: e, r: r, plan: e.planFor(r), tracks: make([]track, len(e.tensors))}
	if e.streams {
		f.lines = make([]*stepLine, len(e.steps))
	}
	room := make([]value, len(e.tensors)) // for one value each, which is all that most ensembles need
	for i := range f.tracks {
		f.tracks[i].values = room[i : i : i+1]
	}
	return f
}

// begin puts the request's tensors in and gives the turns that can run.
func (f *flow) begin() []*turn {
	f.mu.Lock()
	defer f.mu.Unlock()
	put := make([]int, 0, len(f.e.inputs))
	for t := range f.e.tensors {
		name := f.e.tensors[t].name
		if _, given := f.e.inputs[name]; !given {
			continue
		}
		v := value{absent: true, batch: f.r.Batch}
		if in := f.r.Input(name); in != nil {
			v.Tensor, v.absent = *in, false
		}
		f.put(t, v)
		put = append(put, t)
	}
	ready := f.ready(put, 0)
	if f.e.streams {
		f.answer(put, 0) // an output may be an input
	}
	return ready
}

// put adds a value to a tensor's track and gives its place. f.mu is held.
func (f *flow) put(t int, v value) (at int) {
	r := &f.tracks[t]
	at = r.first + len(r.values)
	if f.uses[t] == 0 {
		v.memory.drop()
		r.first++
		return at
	}
	v.uses = f.uses[t]
	r.values = append(r.values, v)
	return at
}

// ready gives the turns that waited for nothing else than what was put at a place of some tracks. f.mu is held.
func (f *flow) ready(put []int, at int) (list []*turn) {
	for _, t := range put {
		for _, s := range f.e.tensors[t].readers {
			known := slices.ContainsFunc(list, func(t *turn) bool { return t.step == s })
			if f.wanted[s] && !known && f.complete(s, at) {
				list = append(list, f.line(&turn{step: s, at: at}))
			}
		}
	}
	f.underway += len(list)
	return list
}

func (f *flow) complete(s, at int) bool {
	for _, w := range f.e.steps[s].inputs {
		if !f.tracks[w.tensor].has(at) {
			return false
		}
	}
	return true
}

// run runs turns and what follows from them: the first here, the others each in a goroutine of its own.
func (f *flow) run(ready []*turn) {
	if f.e.streams {
		f.start(ready)
		return
	}
	for len(ready) > 0 {
		f.start(ready[1:])
		next := ready[0]
		next.inside = f.enter(&f.e.steps[next.step])
		ready = f.step(next)
	}
}

// start sends turns off. It waits where a limit is reached: who gave rise to them is held up.
func (f *flow) start(ready []*turn) {
	for _, t := range ready {
		inside := f.enter(&f.e.steps[t.step])
		if t.admitted != nil {
			f.admit(f.lines[t.step], inside)
			continue
		}
		t.inside = inside
		f.running.Go(func() { f.run(f.step(t)) })
	}
}

// fail keeps the first error, under the ensemble's name; nothing new is begun after it. f.mu is held.
func (f *flow) fail(err error) {
	if err != nil && f.err == nil {
		f.err = infer.Errorf(infer.CodeOf(err), "in ensemble '%s', %s", f.e.name, err)
	}
}

// release gives back what is left of the steps' responses.
func (f *flow) release() {
	for i := range f.tracks {
		for j := range f.tracks[i].values {
			f.tracks[i].values[j].memory.drop()
		}
	}
}

// config is a step's model's at the moment.
func (f *flow) config(s *step) (*modelconfig.ModelConfig, error) {
	return f.e.resolver.Config(s.model, s.version)
}
