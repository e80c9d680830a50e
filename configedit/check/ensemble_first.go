package check

import (
	"cmp"
	"slices"

	"conch/configedit/rule"
)

// refused is what Triton says about the wiring of an ensemble: the first mistake that it finds.
type refused struct {
	rule *rule.Rule
	also int
	args []any
	// about is the tensor that Triton names first. among are tensors of which Triton names one, in the order of a hash map.
	about *wire
	among map[*wire]bool
}

// first moves the mistake that Triton reports to the front. Triton checks the inputs first, then the outputs, then all
// tensors. It reports single tensors, not whole mistakes, so its sentence may differ from the one of the mistake alone.
func (f *flowCheck) first() {
	slices.SortStableFunc(f.mistakes, func(a, b mistake) int { return a.rule.Compare(b.rule) })
	said := f.refusedFirst()
	if said == nil || len(f.mistakes) == 0 {
		return
	}
	at := f.toldBy(said)
	m := f.mistakes[at]
	if said.among == nil || m.rule != said.rule || !said.among[f.graph.wires[m.args[0].(string)]] {
		m.rule, m.also, m.args = said.rule, said.also, said.args
	}
	f.mistakes = slices.Insert(slices.Delete(f.mistakes, at, at+1), 0, m)
}

// toldBy returns the mistake that a sentence of Triton's is about: one with the same sentence, or else one about a tensor
// that the sentence names or that is needed for it.
func (f *flowCheck) toldBy(said *refused) int {
	best, most := 0, -1
	for i, m := range f.mistakes {
		points := 0
		switch {
		case m.rule == said.rule && said.among != nil && said.among[f.graph.wires[m.args[0].(string)]]:
			points = 4
		case m.rule == said.rule && m.also == said.also && slices.Equal(m.args, said.args):
			points = 4
		case slices.Contains(m.about, said.about):
			points = 3
		case m.rule == said.rule && m.args[0] == said.args[0]:
			points = 2
		case slices.ContainsFunc(m.about, func(w *wire) bool { return w != nil && f.graph.behind(w)[said.about] }):
			points = 1
		}
		if points > most {
			best, most = i, points
		}
	}
	return best
}

// refusedFirst checks the wiring as Triton does (docs/triton/ensembles.md, "The wiring"). It returns nil if the wiring
// is right. The tensors that can be computed are marked as ready.
func (f *flowCheck) refusedFirst() *refused {
	name := f.cfg.GetName()
	for _, in := range f.cfg.GetInput() {
		if w := f.graph.wires[in.Name]; !w.mapped() {
			return &refused{rule: rule.E11, args: values(in.Name, name), about: w}
		}
	}
	for _, out := range f.cfg.GetOutput() {
		w := f.graph.wires[out.Name]
		if !w.mapped() {
			return &refused{rule: rule.E12, args: values(out.Name, name), about: w}
		}
		if w.ready {
			continue
		}
		if lost := f.unconnected(w); lost != w {
			return &refused{rule: rule.E13, also: 1, args: values(out.Name, name, lost.name), about: lost}
		}
		return &refused{rule: rule.E13, args: values(out.Name, name), about: w}
	}
	return f.unused()
}

// unconnected follows what an output waits for, as far as possible and never twice along the same way.
func (f *flowCheck) unconnected(w *wire) *wire {
	seen := map[*wire]bool{}
	for last := w; ; {
		next := (*wire)(nil)
		for _, from := range w.writers {
			for _, port := range f.graph.reads[from.step] {
				x := f.graph.wires[f.graph.steps[from.step].InputMap[port]]
				if next == nil && !x.ready && !seen[x] {
					next = x
				}
			}
		}
		if next == nil {
			return last
		}
		seen[next], last, w = true, next, next
	}
}

// unused returns the tensors of maps that are not outputs and that nothing writes or nothing reads.
func (f *flowCheck) unused() *refused {
	said := &refused{rule: rule.E14, among: map[*wire]bool{}}
	for _, w := range f.graph.order {
		if w.output < 0 && w.mapped() && (!w.ready || len(w.readers) == 0) {
			said.about = cmp.Or(said.about, w)
			said.among[w] = true
		}
	}
	if said.about == nil {
		return nil
	}
	said.args = values(said.about.name, f.cfg.GetName())
	return said
}
