package check

import (
	"cmp"
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/edit"
	"conch/configedit/modelconfig"
	"conch/configedit/near"
	"conch/configedit/text"
)

// mostNames bounds the names that are offered in place of one that nothing resembles.
const mostNames = 3

// lostFixes returns what can be done about a tensor that no step writes and whose name resembles no other: a step whose model has an
// output of that name writes it, its readers read a tensor that is there, or the only reader does not read it.
func (f *flowCheck) lostFixes(w *wire) []diag.Fix {
	first := w.readers[0]
	reads := f.portOf(first, "input")
	fixes := f.writeIn(w.name)
	for _, name := range f.nearest(w, reads) {
		fixes = append(fixes, f.readers(w, name)...)
	}
	needed := reads != nil && !f.optional(first)
	if len(w.readers) == 1 && len(f.graph.steps[first.step].InputMap) > 1 && !needed {
		fixes = append(fixes, f.remove(say("take %s out of input_map", first.port), stepPath(first.step, "input_map", first.port)...)...)
	}
	return fixes
}

// lostOutputFixes returns what can be done about an output that no step writes and whose name resembles no tensor: a step whose model
// has an output of that name writes it, or it gets the name of a tensor that is written.
func (f *flowCheck) lostOutputFixes(w *wire, name diag.Span) []diag.Fix {
	fixes := f.writeIn(w.name)
	for _, other := range f.nearest(w, tensorNamed(tensorsOf(f.cfg), "output", w.name)) {
		if x := f.graph.wires[other]; x.output < 0 && len(x.writers) > 0 {
			fixes = append(fixes, replace(say("call the output %s", other), name, text.Quote(other))...)
		}
	}
	return fixes
}

// writeIn returns fixes that map an output of a step's model to the tensor of that name.
func (f *flowCheck) writeIn(tensor string) []diag.Fix {
	var fixes []diag.Fix
	for i, step := range f.graph.steps {
		message := f.message(stepPath(i)...)
		if _, mapped := step.OutputMap[tensor]; mapped || message == nil || len(fixes) == mostNames || f.portOf(end{i, tensor}, "output") == nil {
			continue
		}
		entry := say("output_map { key: %s value: %s }", text.Quote(tensor), text.Quote(tensor))
		fixes = append(fixes, diag.Fix{Title: say("write %s in %s", tensor, f.stepName(i)), Edits: []diag.Edit{edit.Insert(f.m.Decoded.Doc, message, entry)}})
	}
	return fixes
}

// nearest returns the tensors that the readers of a lost one could read: those that are written without it, of the type that is read
// where both are known. The nearest names come first.
func (f *flowCheck) nearest(lost *wire, reads *tensor) []string {
	behind := f.graph.behind(lost)
	names := f.wiresThat(func(w *wire) bool {
		if !w.sourced() || behind[w] {
			return false
		}
		gives := f.given(w)
		return reads == nil || gives == nil || gives.typ == reads.typ
	})
	far := func(name string) int { return near.Distance(strings.ToLower(lost.name), strings.ToLower(name)) }
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	return names[:min(len(names), mostNames)]
}

// given returns the tensor that a wire has from the ensemble's input or from the step that writes it, or nil if it is not known.
func (c *ensemble) given(w *wire) *tensor {
	if w.input < 0 {
		return c.portOf(w.writers[0], "output")
	}
	return tensorNamed(tensorsOf(c.cfg), "input", w.name)
}

// portOf returns the tensor of a step's model that an end of a wire is at, or nil if it is not known.
func (c *ensemble) portOf(e end, side string) *tensor {
	if cfg := c.effective(e.step); cfg != nil {
		return tensorNamed(tensorsOf(cfg), side, e.port)
	}
	return nil
}

// effective returns the config of a step's model, or nil if there is none.
func (c *ensemble) effective(step int) *modelconfig.ModelConfig {
	if c.env == nil {
		return nil
	}
	if m, ok := c.env.Model(c.graph.steps[step].ModelName); ok {
		return m.Effective
	}
	return nil
}

// optional reports whether a step's model runs without an input.
func (c *ensemble) optional(e end) bool {
	inputs := c.effective(e.step).GetInput()
	i := slices.IndexFunc(inputs, func(in *modelconfig.ModelInput) bool { return in.Name == e.port })
	return i >= 0 && inputs[i].Optional
}

func tensorNamed(list []tensor, side, name string) *tensor {
	i := slices.IndexFunc(list, func(t tensor) bool { return t.side == side && t.name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}
