package sched

import (
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// step runs one turn and gives those that can run now.
func (f *flow) step(t *turn) []*turn {
	s := &f.e.steps[t.step]
	if t.inside {
		defer s.limit.leave()
	}
	cfg, err := f.config(s)
	if err != nil {
		return f.finish(t, nil, err)
	}
	request, err := f.request(t, cfg)
	if err != nil || request == nil {
		return f.finish(t, nil, err)
	}
	a := arrival{turn: t, request: request, many: cfg.GetModelTransactionPolicy().GetDecoupled()}
	var last infer.Response
	err = f.e.resolver.Infer(f.ctx, request, func(r *infer.Response) error {
		if r.Final {
			last, r.Release = *r, nil // it is taken in when the model is free again
			return nil
		}
		return f.stream(a, r)
	})
	if err != nil {
		free(&last)
		return f.finish(t, nil, err)
	}
	a.response = &last
	return f.finish(t, &a, nil)
}

// request makes a step's request; nil when the flow has failed meanwhile.
func (f *flow) request(t *turn, cfg *modelconfig.ModelConfig) (*infer.Request, error) {
	s := &f.e.steps[t.step]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, nil
	}
	if f.ctx.Err() != nil {
		return nil, infer.Errorf(infer.Cancelled, "request was cancelled between the steps of the ensemble")
	}
	request := &infer.Request{
		ID: f.r.ID, Model: s.model, Version: s.version, Parameters: f.r.Parameters, Outputs: s.asks,
		Priority: f.r.Priority, Timeout: f.r.Timeout, Sequence: f.r.Sequence, Received: time.Now(),
		Trace: f.r.Trace.Child(t.step),
	}
	told := false
	for _, w := range s.inputs {
		v := f.tracks[w.tensor].at(t.at)
		if v.told && !told { // the first counts where they differ
			request.Sequence, told = v.sequence, true
		}
		if v.absent {
			continue
		}
		in := v.Tensor
		in.Name = w.name
		in.Shape = bridge(in.Shape, v.batch > 0, stepDims(cfg, w.name), cfg.MaxBatchSize > 0)
		request.Inputs = append(request.Inputs, in)
	}
	return request, nil
}

// arrival is a response of a step.
type arrival struct {
	*turn
	request  *infer.Request
	response *infer.Response
	many     bool // the model is decoupled
}

// empty says that a response holds nothing but the end.
func (a *arrival) empty() bool { return a.many && a.response.Final && len(a.response.Outputs) == 0 }

// stream takes in a response of many. What follows from it is begun at once; where a limit is reached, the model is held
// up.
func (f *flow) stream(a arrival, r *infer.Response) error {
	if !f.e.streams {
		return infer.Errorf(infer.Internal, "model '%s' gave more than one response, and the ensemble was loaded when it gave one: load the ensemble again", f.e.steps[a.step].model)
	}
	a.response = r
	f.sending.Lock()
	f.mu.Lock()
	ready := f.take(&a)
	f.mu.Unlock()
	f.sending.Unlock()
	f.start(ready)
	return nil
}

// finish ends a turn: with its final response, or without one.
func (f *flow) finish(t *turn, a *arrival, err error) (ready []*turn) {
	if f.e.streams {
		f.sending.Lock()
		defer f.sending.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.e.steps[t.step].inputs {
		f.tracks[w.tensor].use(t.at)
	}
	f.underway--
	if a == nil {
		f.fail(err)
		return nil
	}
	f.timings.Input += a.response.Timings.Input
	f.timings.Infer += a.response.Timings.Infer
	f.timings.Output += a.response.Timings.Output
	return f.take(a)
}

// take puts a response's outputs into their tracks, gives the turns that can run now, and in an ensemble that streams hands
// on what is complete. f.mu is held, and given up meanwhile.
func (f *flow) take(a *arrival) (ready []*turn) {
	lent := borrowed(a.response)
	defer lent.drop()
	if f.err != nil || a.empty() {
		return nil
	}
	sequence, err := sequenceOf(a.response.Parameters, a.request.Sequence)
	if err != nil {
		f.fail(err)
		return nil
	}
	put, at := make([]int, 0, len(f.e.steps[a.step].outputs)), 0
	for _, w := range f.e.steps[a.step].outputs {
		if f.e.tensors[w.tensor].maker != a.step {
			continue // an input of the ensemble stays what it was
		}
		v := value{absent: true, batch: a.request.Batch, sequence: sequence, told: true}
		if out := a.response.Output(w.name); out != nil {
			v.Tensor, v.absent, v.memory = *out, false, lent.keep()
		}
		at = f.put(w.tensor, v) // the same for all that the step makes
		put = append(put, w.tensor)
	}
	ready = f.ready(put, at)
	if f.e.streams {
		f.answer(put, at)
	}
	return ready
}
