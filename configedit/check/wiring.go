package check

import (
	"maps"
	"slices"

	"conch/configedit/modelconfig"
)

// end is a place where a step reads or writes a tensor.
type end struct {
	step int
	port string
}

// wire is a tensor of an ensemble.
type wire struct {
	name string
	// input and output are the indexes of the declared input and output of that name, or -1.
	input, output    int
	writers, readers []end
	ready            bool
	// problem is the sentence that the graph shows, and stand the wire that was probably meant.
	problem string
	stand   *wire
}

func (w *wire) sourced() bool { return w.input >= 0 || len(w.writers) > 0 }
func (w *wire) used() bool    { return w.output >= 0 || len(w.readers) > 0 }

// mapped reports whether the name is a value of some map.
func (w *wire) mapped() bool { return len(w.writers)+len(w.readers) > 0 }

// wiring is how the steps of an ensemble are connected.
type wiring struct {
	steps []*modelconfig.ModelEnsembling_Step
	wires map[string]*wire
	// order lists the wires in Triton's order: inputs, outputs, then step by step.
	order []*wire
	// reads and writes are the sorted ports of each step.
	reads, writes [][]string
	// ran are the steps in the order in which the last flow ran them.
	ran []int
	// nodes are the sentences that the graph shows at steps.
	nodes map[int]string
}

func newWiring(cfg *modelconfig.ModelConfig) *wiring {
	w := &wiring{steps: cfg.GetEnsembleScheduling().GetStep(), wires: map[string]*wire{}, nodes: map[int]string{}}
	for i, in := range cfg.GetInput() { // of two declarations with one name, the first counts
		if x := w.wire(in.Name); x.input < 0 {
			x.input = i
		}
	}
	for i, out := range cfg.GetOutput() {
		if x := w.wire(out.Name); x.output < 0 {
			x.output = i
		}
	}
	for i, step := range w.steps {
		w.reads, w.writes = append(w.reads, ports(step.InputMap)), append(w.writes, ports(step.OutputMap))
		for _, port := range w.reads[i] {
			to := w.wire(step.InputMap[port])
			to.readers = append(to.readers, end{i, port})
		}
		for _, port := range w.writes[i] {
			from := w.wire(step.OutputMap[port])
			from.writers = append(from.writers, end{i, port})
		}
	}
	return w
}

func ports(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

func (w *wiring) wire(name string) *wire {
	if known := w.wires[name]; known != nil {
		return known
	}
	fresh := &wire{name: name, input: -1, output: -1}
	w.wires[name] = fresh
	w.order = append(w.order, fresh)
	return fresh
}

// flow marks the wires that can be computed from the given wires, and returns which steps can run.
func (w *wiring) flow(begin func(*wire) bool) []bool {
	waits, runs := make([]int, len(w.steps)), make([]bool, len(w.steps))
	for i, step := range w.steps {
		waits[i] = len(step.InputMap)
	}
	var queue []*wire
	push := func(x *wire) {
		if !x.ready {
			x.ready = true
			queue = append(queue, x)
		}
	}
	w.ran = w.ran[:0]
	run := func(step int) {
		runs[step] = true
		w.ran = append(w.ran, step)
		for _, port := range w.writes[step] {
			push(w.wires[w.steps[step].OutputMap[port]])
		}
	}
	for _, x := range w.order {
		if x.ready = false; begin(x) {
			push(x)
		}
	}
	for i := range waits {
		if waits[i] == 0 {
			run(i) // it lacks its input_map, which another check reports
		}
	}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, to := range x.readers {
			if waits[to.step]--; waits[to.step] == 0 {
				run(to.step)
			}
		}
	}
	return runs
}

// behind returns the wires that depend on a wire, directly or not.
func (w *wiring) behind(from *wire) map[*wire]bool {
	seen, queue := map[*wire]bool{from: true}, []*wire{from}
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		for _, to := range x.readers {
			for _, name := range w.steps[to.step].OutputMap {
				if next := w.wires[name]; !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return seen
}

// note keeps the first sentence about a step.
func (w *wiring) note(step int, sentence string) {
	if w.nodes[step] == "" {
		w.nodes[step] = sentence
	}
}

// said are the sentences about steps and wires.
type said struct {
	nodes map[int]string
	wires map[*wire]string
}

// unsay takes back the sentences about steps and wires, and returns them.
func (w *wiring) unsay() said {
	back := said{maps.Clone(w.nodes), map[*wire]string{}}
	clear(w.nodes)
	for _, x := range w.order {
		back.wires[x], x.problem = x.problem, ""
	}
	return back
}

// say puts sentences beside those that are there.
func (w *wiring) say(s said) {
	for step, sentence := range s.nodes {
		w.note(step, sentence)
	}
	for x, problem := range s.wires {
		if x.problem == "" {
			x.problem = problem
		}
	}
}
