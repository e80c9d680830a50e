package sched

import (
	"context"
	"slices"
	"sync"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// flow is one request on its way through an ensemble.
type flow struct {
	plan
	ctx     context.Context
	cancel  context.CancelFunc // ends the steps that run or wait; nil where no two do so at a time
	e       *Ensemble
	r       *infer.Request
	sink    infer.Sink
	running sync.WaitGroup
	early   *early // nil where the request ends when all steps have ended

	// sending makes responses leave one at a time and in order. It is locked before mu, while a step's response is
	// stored. An ensemble with a single response does not need it.
	sending sync.Mutex

	mu       sync.Mutex   // guards what follows, until running is done
	tracks   []track      // by tensor
	lines    []*stepLine  // by step, in an ensemble that streams
	stays    []infer.Stay // by step, where a step stays in a version until the flow ends; else nil
	underway int          // turns that are ready or run
	sent     int          // responses that were sent
	final    bool         // the final response was sent
	err      error        // the first failure
	timings  infer.Timings
}

// turn is one run of a step, on the values at one place of their tracks.
type turn struct {
	step, at int
	inside   bool      // it has a place in the step's limit
	line     *stepLine // nil for a turn outside any line

	many    bool // the step's model is decoupled
	request infer.Request
	room    [2]tensor.Tensor // for the request's inputs, if there are at most two
	last    infer.Response   // the final one
}

func newFlow(ctx context.Context, e *Ensemble, r *infer.Request) *flow {
	f := &flow{ctx: ctx, e: e, r: r, plan: e.planFor(r), tracks: make([]track, len(e.tensors))}
	if e.forks && !inSequence(r) { // a client that leaves ends its sequence
		f.ctx, f.cancel = context.WithCancel(ctx)
		if !e.streams && r.Trace == nil && r.Held == nil { // the trace waits for all steps, and so does who leaves their versions
			f.early = newEarly()
		}
	}
	if e.streams {
		f.lines = make([]*stepLine, len(e.steps))
	}
	f.prepareStays()
	room := make([]value, len(e.tensors)) // one value each is enough for most ensembles
	for i := range f.tracks {
		f.tracks[i].values = room[i : i : i+1]
	}
	return f
}

// begin runs the turns that can run with the request's tensors, and the turns that follow.
func (f *flow) begin() {
	ready := f.given()
	if f.apart(ready) {
		f.start(ready)
		return
	}
	first := ready[0]
	first.inside = f.enter(&f.e.steps[first.step])
	f.start(ready[1:])
	f.run(first)
}

// apart reports whether each of some turns gets its own goroutine: where no turn follows, where more responses may come, and where one of
// them may fail while another one runs, so that the caller is free.
func (f *flow) apart(ready []*turn) bool {
	return f.e.streams || len(ready) == 0 || f.early != nil && len(ready) > 1
}

// given stores the request's tensors and returns the turns that can run.
func (f *flow) given() []*turn {
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
		f.put(t, 0, v)
		put = append(put, t)
	}
	ready := f.ready(put, 0)
	if f.e.streams {
		f.answer() // an output may be an input
	}
	f.settle()
	return ready
}

// put sets the value of a place of a tensor's track. f.mu is held.
func (f *flow) put(t, at int, v value) {
	if v.uses = f.uses[t]; v.uses > 0 {
		f.tracks[t].put(at, v)
		return
	}
	v.memory.drop()
	f.tracks[t].first = max(f.tracks[t].first, at+1)
}

// ready returns the turns that waited only for the values that were just stored at a place of some tracks. f.mu
// is held.
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

// run runs a turn and the turns that follow. The first of them runs in this goroutine, unless they run apart; each of the others gets its
// own goroutine. A turn leaves its limit when the turns behind it have entered
// theirs.
func (f *flow) run(t *turn) {
	for t != nil {
		ready := f.step(t)
		var next *turn
		if !f.apart(ready) {
			next, ready = ready[0], ready[1:]
			next.inside = f.enter(&f.e.steps[next.step])
		}
		f.start(ready)
		if t.inside {
			f.e.steps[t.step].limit.leave()
		}
		t = next
	}
}

// start starts turns. It waits where a limit is reached, and so holds up the step that made them.
func (f *flow) start(ready []*turn) {
	for _, t := range ready {
		if t.line != nil {
			f.admit(t.line)
			continue
		}
		t.inside = f.enter(&f.e.steps[t.step])
		f.running.Go(func() { f.run(t) })
	}
}

// fail keeps the first error, under the ensemble's name. f.mu is held.
func (f *flow) fail(err error) {
	if err != nil && f.err == nil {
		f.stop(infer.Errorf(infer.CodeOf(err), "in ensemble '%s', %s", f.e.name, err))
	}
}

// stop ends the flow with an error: no turn begins after it, and nobody reads the answers of those that have begun. f.mu is held.
func (f *flow) stop(err error) {
	f.err = err
	if f.cancel != nil {
		f.cancel()
	}
	if f.early != nil {
		f.early.fail()
	}
}

// release frees the rest of the steps' responses, and leaves the versions that the steps have entered.
func (f *flow) release() {
	if f.cancel != nil {
		f.cancel()
	}
	f.leaveStays()
	for i := range f.tracks {
		for j := range f.tracks[i].values {
			f.tracks[i].values[j].memory.drop()
		}
	}
}
