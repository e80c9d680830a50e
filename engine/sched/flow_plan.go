package sched

import "conch/engine/infer"

// plan lists the parts of an ensemble that a request needs. A step does not run when nobody asked for
// its outputs.
type plan struct {
	wanted  []bool // by step
	uses    []int  // by tensor: how often steps and the response read a value of it
	outputs []int  // of Ensemble.outputs
}

func (e *Ensemble) planFor(r *infer.Request) plan {
	if len(r.Outputs) == 0 && e.whole.wanted != nil {
		return e.whole
	}
	p := plan{wanted: make([]bool, len(e.steps)), uses: make([]int, len(e.tensors))}
	for i, out := range e.outputs {
		if r.Wants(out.name) {
			p.outputs = append(p.outputs, i)
			p.uses[out.tensor]++
			e.want(&p, out.tensor)
		}
	}
	for i, s := range e.steps {
		if !p.wanted[i] {
			continue
		}
		for _, w := range s.inputs {
			p.uses[w.tensor]++
		}
	}
	return p
}

// want marks the steps that a tensor comes from.
func (e *Ensemble) want(p *plan, t int) {
	maker := e.tensors[t].maker
	if maker < 0 || p.wanted[maker] {
		return
	}
	p.wanted[maker] = true
	for _, in := range e.steps[maker].inputs {
		e.want(p, in.tensor)
	}
}
