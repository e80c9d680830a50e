package sched

import (
	"time"

	"conch/configedit/modelconfig"
	"conch/engine/infer"
)

// step runs one turn and returns the turns that can run now.
func (f *flow) step(t *turn) []*turn {
	target, err := f.version(t.step)
	if err != nil {
		f.refused(t, err)
		return f.finish(t, nil, err)
	}
	if f.stays == nil {
		defer target.Leave()
	}
	if ready, err := f.request(t, target.Config); err != nil || !ready {
		return f.finish(t, nil, err)
	}
	err = target.Infer(f.ctx, &t.request, func(r *infer.Response) error {
		if r.Final {
			t.last, r.Release = *r, nil // it is stored when the model is free again
			return nil
		}
		return f.stream(t, r)
	})
	if err != nil {
		if !t.request.Accepted {
			f.refused(t, err)
		}
		free(&t.last)
		return f.finish(t, nil, err)
	}
	return f.finish(t, &t.last, nil)
}

// refused records in the trace that no model took a turn's request.
func (f *flow) refused(t *turn, err error) {
	s := &f.e.steps[t.step]
	f.r.Trace.Refuse(t.step, s.model, s.version, err)
}

// request builds a turn's request. ready is false when the flow has failed meanwhile.
func (f *flow) request(t *turn, cfg *modelconfig.ModelConfig) (ready bool, err error) {
	s := &f.e.steps[t.step]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return false, nil
	}
	if f.ctx.Err() != nil {
		return false, infer.Errorf(infer.Cancelled, "request was cancelled between the steps of the ensemble")
	}
	t.many = cfg.GetModelTransactionPolicy().GetDecoupled()
	t.request = infer.Request{
		Inputs: t.room[:0], ID: f.r.ID, Model: s.model, Version: s.version, Parameters: f.r.Parameters, Outputs: s.asks,
		Priority: f.r.Priority, Timeout: f.r.Timeout, Sequence: f.r.Sequence, Received: time.Now(),
		Trace: f.r.Trace.Child(t.step), Caller: f.r.Caller, Step: true, Trial: f.r.Trial,
	}
	told := false
	for _, w := range s.inputs {
		v := f.tracks[w.tensor].at(t.at)
		if v.told && !told { // where they differ, the first counts
			t.request.Sequence, told = v.sequence, true
		}
		if v.absent {
			continue
		}
		in := v.Tensor
		in.Name = w.name
		in.Shape = bridge(in.Shape, v.batch > 0, stepDims(cfg, w.name), cfg.MaxBatchSize > 0)
		t.request.Inputs = append(t.request.Inputs, in)
	}
	if f.early != nil {
		t.request.Taken = f.early.read()
	}
	return true, nil
}

// stream stores one response of many. The turns that follow begin at once. Where a limit is reached, the model waits. After a
// failure the model is told that nobody takes more, as if the client had gone.
func (f *flow) stream(t *turn, r *infer.Response) error {
	if !f.e.streams {
		return infer.Errorf(infer.Internal, "model '%s' gave more than one response, and the ensemble was loaded when it gave one: load the ensemble again", f.e.steps[t.step].model)
	}
	f.sending.Lock()
	f.mu.Lock()
	ready, err := f.take(t, r), f.err
	f.mu.Unlock()
	f.sending.Unlock()
	f.start(ready)
	return err
}

// finish ends a turn: with its final response, or without one.
func (f *flow) finish(t *turn, r *infer.Response, err error) (ready []*turn) {
	if f.e.streams {
		f.sending.Lock()
		defer f.sending.Unlock()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.settle()
	if t.request.Taken != nil {
		defer t.request.Taken()
	}
	for _, w := range f.e.steps[t.step].inputs {
		f.tracks[w.tensor].use(t.at)
	}
	f.underway--
	if r == nil {
		f.fail(err)
		return nil
	}
	f.timings.Input += r.Timings.Input
	f.timings.Infer += r.Timings.Infer
	f.timings.Output += r.Timings.Output
	return f.take(t, r)
}

// take stores a response's outputs in their tracks and returns the turns that can run now. In an ensemble that
// streams, it sends the complete responses. f.mu is held, and unlocked during a send.
func (f *flow) take(t *turn, r *infer.Response) (ready []*turn) {
	lent := borrowed(r)
	defer lent.drop()
	if f.err != nil || t.many && r.Final && len(r.Outputs) == 0 {
		return nil
	}
	sequence, err := sequenceOf(r.Parameters, t.request.Sequence)
	if err != nil {
		f.fail(err)
		return nil
	}
	put, at := make([]int, 0, len(f.e.steps[t.step].outputs)), f.place(t)
	for _, w := range f.e.steps[t.step].outputs {
		if f.e.tensors[w.tensor].maker != t.step {
			continue // an input of the ensemble stays what it was
		}
		v := value{absent: true, batch: t.request.Batch, sequence: sequence, told: true}
		if out := r.Output(w.name); out != nil {
			v.Tensor, v.absent, v.memory, v.labels = *out, false, lent.keep(), r.Labels
		}
		f.put(w.tensor, at, v)
		put = append(put, w.tensor)
	}
	ready = f.ready(put, at)
	if f.e.streams {
		f.answer()
	}
	return ready
}

// place returns the place of a turn's outputs. For a decoupled model, it is the next free place, the same in all
// tracks of the step. Otherwise it is the turn's own place. f.mu is held.
func (f *flow) place(t *turn) int {
	if !t.many {
		return t.at
	}
	for _, w := range f.e.steps[t.step].outputs {
		if f.e.tensors[w.tensor].maker == t.step {
			return f.tracks[w.tensor].next()
		}
	}
	return 0
}
