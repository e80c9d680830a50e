package check

import (
	"strings"

	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// flowCheck finds tensors of an ensemble that lack one of their ends: E11 to E14. Triton reports one wrong tensor; Conch
// reports every mistake once, at the name that is wrong.
type flowCheck struct {
	*ensemble
	// lost wires are read but not written; idle wires are written but not read.
	lost, idle []*wire
	// told are idle wires that belong to a mistake that is reported at a lost wire.
	told map[*wire]bool
	// mistakes are the findings.
	mistakes []mistake
}

// mistake is a finding with the tensors that it is about.
type mistake struct {
	finding
	about []*wire
}

// add keeps a mistake.
func (f *flowCheck) add(d finding, about ...*wire) {
	f.mistakes = append(f.mistakes, mistake{d, about})
}

// enough reports whether no more mistakes should be listed.
func (f *flowCheck) enough() bool { return f.errors+len(f.mistakes) >= maxFindings }

func (c *ensemble) checkFlow() {
	f := &flowCheck{ensemble: c, told: map[*wire]bool{}}
	for _, w := range c.graph.order {
		switch {
		case !w.sourced():
			f.lost = append(f.lost, w)
		case !w.used():
			f.idle = append(f.idle, w)
		}
	}
	c.graph.flow((*wire).declared)
	for _, w := range f.lost {
		if !f.enough() {
			f.lostWire(w)
		}
	}
	for _, w := range f.idle {
		if !f.told[w] && !f.enough() {
			f.idleWire(w)
		}
	}
	f.cycles()
	c.graph.flow((*wire).declared)
	f.first()
	c.reportWiring(f.mistakes)
}

// reportWiring reports mistakes of the wiring, unless they exist only because entries of maps are swapped.
func (c *ensemble) reportWiring(found []mistake) {
	if len(found) == 0 {
		return
	}
	if c.turned.entries = c.turnedEntries(); c.turned.entries > 0 {
		c.turned.mistakes, c.turned.said = found, c.graph.unsay()
		return
	}
	for i := range found {
		c.report(found[i].finding)
	}
}

func (w *wire) declared() bool { return w.input >= 0 }

// meant returns the wire that the name of a lost wire most likely means, or nil if no name is similar. A step that reads what comes of
// its own output would wait for itself.
func (f *flowCheck) meant(w *wire) *wire {
	var idle, sourced []string
	behind := f.graph.behind(w)
	for _, x := range f.idle {
		if !f.told[x] && (x.declared() || !behind[x]) {
			idle = append(idle, x.name)
		}
	}
	if better := guess(w.name, idle); better != "" {
		return f.graph.wires[better]
	}
	if len(idle) == 1 && len(f.lost) == 1 {
		return f.graph.wires[idle[0]]
	}
	for _, x := range f.graph.order {
		if x.sourced() && (x.declared() || !behind[x]) {
			sourced = append(sourced, x.name)
		}
	}
	return f.graph.wires[guess(w.name, sourced)]
}

// lostWire reports a tensor that no step writes.
func (f *flowCheck) lostWire(w *wire) {
	stand := f.meant(w)
	d := f.refusal(w)
	if stand != nil {
		w.stand = stand
		if !stand.used() {
			f.told[stand] = true
			d.related = append(d.related, diag.Related{Span: f.source(stand), Message: say("tensor %q is here, and nothing reads it", stand.name)})
		}
		if stand.input >= 0 && !stand.mapped() {
			d.rule, d.also, d.args = rule.E11, 0, values(stand.name, f.cfg.GetName())
		}
	}
	if len(w.readers) == 0 {
		f.lostOutput(w, stand, d)
		return
	}
	first := w.readers[0]
	d.span = f.span(stepPath(first.step, "input_map", first.port, "value")...)
	d.message = say("nothing produces tensor %q, which %s reads", w.name, f.stepName(first.step))
	if stand != nil {
		d.message += say("; did you mean %q?", stand.name)
		d.fixes = f.readers(w, stand.name)
	} else {
		d.fixes = f.lostFixes(w)
	}
	w.problem = d.message
	f.graph.note(first.step, d.message)
	f.add(d, w, stand)
}

// lostOutput reports an output that no step writes.
func (f *flowCheck) lostOutput(w, stand *wire, d finding) {
	path := []any{"output", w.output, "name"}
	d.span = f.span(path...)
	d.message = say("no step writes output %q", w.name)
	if stand != nil && len(stand.writers) > 0 && len(stand.readers) == 0 {
		from := stand.writers[0]
		value := f.span(stepPath(from.step, "output_map", from.port, "value")...)
		d.message += say("; %s writes %q, which nothing reads", f.stepName(from.step), stand.name)
		d.fixes = append(replace(say("write %s in step %d", w.name, stepNumber(from.step)), value, text.Quote(w.name)),
			replace(say("call the output %s", stand.name), d.span, text.Quote(stand.name))...)
	} else if stand == nil {
		d.fixes = f.lostOutputFixes(w, d.span)
	}
	w.problem = d.message
	f.add(d, w, stand)
}

// refusal returns what Triton refuses about a lost wire. Triton checks the outputs first, then all other tensors.
func (f *flowCheck) refusal(w *wire) finding {
	name := f.cfg.GetName()
	if w.output >= 0 && len(w.readers) == 0 {
		return finding{rule: rule.E12, args: values(w.name, name)}
	}
	behind := f.graph.behind(w)
	for _, out := range f.cfg.GetOutput() {
		x := f.graph.wires[out.Name]
		if x == w {
			return finding{rule: rule.E13, args: values(w.name, name)}
		}
		if behind[x] && x.input < 0 && !x.ready {
			return finding{rule: rule.E13, also: 1, args: values(out.Name, name, w.name)}
		}
	}
	return finding{rule: rule.E14, args: values(w.name, name)}
}

// source returns where a wire comes from.
func (f *flowCheck) source(w *wire) diag.Span {
	if w.input >= 0 {
		return f.span("input", w.input, "name")
	}
	from := w.writers[0]
	return f.span(stepPath(from.step, "output_map", from.port, "value")...)
}

// idleWire reports a tensor that nothing uses: E11, E14.
func (f *flowCheck) idleWire(w *wire) {
	d := finding{rule: rule.E14, span: f.source(w), args: values(w.name, f.cfg.GetName())}
	if w.input >= 0 {
		d.message = say("no step uses input %q", w.name)
		if len(w.writers) == 0 {
			d.rule = rule.E11
		}
		w.problem = d.message
		f.add(d, w)
		return
	}
	from := w.writers[0]
	d.message = say("nothing uses tensor %q, which %s writes; an output that is not needed must stay out of output_map", w.name, f.stepName(from.step))
	if len(f.graph.steps[from.step].OutputMap) > 1 {
		d.fixes = f.remove(say("take %s out of output_map", from.port), stepPath(from.step, "output_map", from.port)...)
	}
	w.problem = d.message
	f.graph.note(from.step, d.message)
	f.add(d, w)
}

// cycles reports steps that wait for each other. Steps that wait for lost tensors are already reported.
func (f *flowCheck) cycles() {
	runs := f.graph.flow(func(w *wire) bool { return !w.sourced() || w.input >= 0 })
	seen := make([]bool, len(runs))
	for i := range runs {
		if runs[i] || seen[i] {
			continue
		}
		if loop := f.loop(i, seen); loop != nil {
			f.cycle(loop)
		}
	}
}

// loop follows what a step waits for until a step comes again; nil when it came in an earlier walk.
func (f *flowCheck) loop(from int, seen []bool) []end {
	at := map[int]int{}
	var walk []end
	for {
		if first, again := at[from]; again {
			return walk[first:]
		}
		if seen[from] {
			return nil
		}
		seen[from], at[from] = true, len(walk)
		next := end{-1, ""}
		for _, port := range f.graph.reads[from] {
			if w := f.graph.wires[f.graph.steps[from].InputMap[port]]; !w.ready && len(w.writers) > 0 {
				walk = append(walk, end{from, port})
				next = w.writers[0]
				break
			}
		}
		if next.step < 0 {
			return nil
		}
		from = next.step
	}
}

func (f *flowCheck) cycle(loop []end) {
	steps := make([]string, 0, len(loop)+1)
	for _, e := range loop {
		steps = append(steps, f.stepName(e.step))
	}
	message := say("%s reads its own output", steps[0])
	if len(loop) > 1 {
		message = "steps wait for each other: " + steps[0] + " needs " +
			strings.Join(append(steps[1:], steps[0]), ", which needs ")
	}
	first := f.graph.wires[f.graph.steps[loop[0].step].InputMap[loop[0].port]]
	d := finding{
		rule: rule.E14, span: f.span(stepPath(loop[0].step, "input_map", loop[0].port, "value")...),
		args: values(first.name, f.cfg.GetName()), message: message,
	}
	behind := f.graph.behind(first)
	for _, out := range f.cfg.GetOutput() {
		if x := f.graph.wires[out.Name]; behind[x] && x.input < 0 && !x.ready {
			d.rule, d.args = rule.E13, values(out.Name, f.cfg.GetName())
			break
		}
	}
	var about []*wire
	for _, e := range loop {
		w := f.graph.wires[f.graph.steps[e.step].InputMap[e.port]]
		about = append(about, w)
		w.problem = message
		if e != loop[0] {
			d.related = append(d.related, diag.Related{
				Span: f.span(stepPath(e.step, "input_map", e.port, "value")...), Message: say("%s needs %q", f.stepName(e.step), w.name),
			})
		}
	}
	f.add(d, about...)
}
