package sched

import (
	"slices"

	"conch/engine/infer"
)

// deadlock is Triton's sentence for an output that no step has made (docs/triton/ensembles.md, "How
// a request flows").
const deadlock = "unexpected deadlock, at least one output is not set while no more ensemble steps can be made"

// answer sends the complete responses in order. f.mu is held, and unlocked during a send; f.sending is held
// throughout.
func (f *flow) answer() {
	for f.err == nil && f.whole(f.sent) {
		response := f.response(f.sent)
		f.sent++
		response.Final = f.underway == 0 && !f.whole(f.sent)
		f.final = response.Final
		f.mu.Unlock()
		err := f.sink(response)
		free(response)
		f.mu.Lock()
		if err != nil && f.err == nil {
			f.stop(err) // the client's own error, not a failure of the ensemble
		}
	}
}

// whole reports whether all outputs that are wanted have a value at a place.
func (f *flow) whole(at int) bool {
	return len(f.outputs) > 0 &&
		!slices.ContainsFunc(f.outputs, func(i int) bool { return !f.tracks[f.e.outputs[i].tensor].has(at) })
}

// end sends the final response when nothing runs any more, and returns how the request ended.
func (f *flow) end() error {
	switch {
	case f.err != nil:
		return f.err
	case f.final:
		return nil
	case f.e.streams: // any number of responses is allowed, even none
		return f.sink(&infer.Response{ID: f.r.ID, Timings: f.timings, Final: true})
	case !f.whole(0):
		return infer.Errorf(infer.InvalidArg, "in ensemble '%s', %s%s", f.e.name, f.r.ErrorPrefix(), deadlock)
	}
	response := f.response(0)
	response.Final = true
	defer free(response)
	return f.sink(response)
}

// response builds a response of the ensemble. It borrows the memory of the steps' responses. An output that a step
// left out is missing here as well.
func (f *flow) response(at int) *infer.Response {
	r := &infer.Response{ID: f.r.ID, Timings: f.timings}
	var lent []*memory
	var labels stepLabels
	for _, i := range f.outputs {
		out := &f.e.outputs[i]
		v := f.tracks[out.tensor].at(at)
		if !v.absent {
			t := v.Tensor
			t.Name, t.Shape = out.name, bridge(t.Shape, v.batch > 0, out.dims, f.e.batching)
			r.Outputs = append(r.Outputs, t)
			lent = append(lent, v.memory.keep())
			if v.labels != nil {
				labels = append(labels, stepLabel{output: out.name, made: f.e.tensors[out.tensor].made, labels: v.labels})
			}
			if v.told {
				r.Parameters = sequenceParameters(v.sequence, f.r.Sequence)
			}
		}
		f.tracks[out.tensor].use(at)
	}
	if labels != nil {
		r.Labels = labels
	}
	r.Release = func() {
		for _, m := range lent {
			m.drop()
		}
	}
	return r
}

// stepLabels returns the class names of an ensemble's outputs. They come from the versions that
// made the outputs.
type stepLabels []stepLabel

// stepLabel is an output of the ensemble, with its name and labels at the step that made it.
type stepLabel struct {
	output, made string
	labels       infer.Labels
}

// Label returns the name of a class.
func (l stepLabels) Label(output string, class int) string {
	for i := range l {
		if l[i].output == output {
			return l[i].labels.Label(l[i].made, class)
		}
	}
	return ""
}
