package check

import (
	"fmt"
	"slices"
)

// drawing puts a graph together.
type drawing struct {
	*ensemble
	graph EnsembleGraph
	// nodes are the indexes of the nodes, and declared the ensemble's own tensors, by ID.
	nodes    map[string]int
	declared map[string]tensor
	offsets  *offsets
}

func (c *ensemble) draw() *EnsembleGraph {
	d := &drawing{ensemble: c, nodes: map[string]int{}, declared: map[string]tensor{}, offsets: offsetsOf(c.m)}
	for _, t := range tensorsOf(c.cfg) {
		if _, declared := d.declared[t.side+":"+t.name]; !declared { // of two with one name, the first counts
			d.declared[t.side+":"+t.name] = t
		}
	}
	for i, in := range c.cfg.GetInput() {
		d.own(InputNode, "input", i, in.Name)
	}
	for i := range c.graph.steps {
		d.step(i)
	}
	for i, out := range c.cfg.GetOutput() {
		d.own(OutputNode, "output", i, out.Name)
	}
	for _, w := range c.graph.order {
		d.wire(w)
	}
	return &d.graph
}

// own draws an input or output of the ensemble.
func (d *drawing) own(kind NodeKind, side string, i int, name string) {
	node := Node{ID: side + ":" + name, Kind: kind, Label: name, Offset: d.offsets.name(side, i)}
	w := d.ensemble.graph.wires[name]
	if kind == InputNode && len(w.readers) == 0 || kind == OutputNode && !w.sourced() {
		node.Problem = w.problem
	}
	d.node(node)
}

func (d *drawing) step(i int) {
	step := d.ensemble.graph.steps[i]
	label := step.ModelName
	if label == "" {
		label = fmt.Sprintf("step %d", stepNumber(i))
	}
	node := Node{
		ID: stepID(i), Kind: StepNode, Label: label, Model: step.ModelName, Version: step.ModelVersion,
		Problem: d.ensemble.graph.nodes[i], Offset: d.stepSpan(i).Start,
	}
	cfg := d.effective(i)
	for _, t := range tensorsOf(cfg) {
		p := Port{Name: t.name, Datatype: apiName(t.typ), Dims: t.dims, Shape: effectiveShape(cfg, t.dims)}
		if t.side == "input" {
			p.Optional = cfg.GetInput()[t.index].Optional
			node.Inputs = append(node.Inputs, p)
			continue
		}
		node.Outputs = append(node.Outputs, p)
	}
	node.Inputs = withUnknown(node.Inputs, step.InputMap)
	node.Outputs = withUnknown(node.Outputs, step.OutputMap)
	d.node(node)
}

// withUnknown adds the ports that only the ensemble knows.
func withUnknown(list []Port, used map[string]string) []Port {
	known := map[string]bool{}
	for _, p := range list {
		known[p.Name] = true
	}
	for _, name := range ports(used) {
		if !known[name] {
			list = append(list, Port{Name: name})
		}
	}
	return list
}

func stepID(i int) string { return say("step:%d", i) }

// wire draws a tensor from the step that writes it to the steps that read it. A tensor that no step writes is drawn from
// the tensor that was probably meant.
func (d *drawing) wire(w *wire) {
	source, port := d.source(w)
	if source == "" {
		return
	}
	for _, r := range w.readers {
		d.edge(w, Edge{
			Source: source, SourcePort: port, Target: stepID(r.step), TargetPort: r.port,
			Offset: d.offsets.reads[r],
		})
	}
	if w.output >= 0 {
		d.edge(w, Edge{
			Source: source, SourcePort: port, Target: "output:" + w.name, TargetPort: w.name,
			Offset: d.offsets.name("output", w.output),
		})
	}
}

func (d *drawing) source(w *wire) (id, port string) {
	if w.stand != nil {
		w = w.stand
	}
	switch {
	case w.input >= 0:
		return "input:" + w.name, w.name
	case len(w.writers) > 0:
		return stepID(w.writers[0].step), w.writers[0].port
	}
	return "", ""
}

func (d *drawing) edge(w *wire, e Edge) {
	e.ID = say("%s:%s-%s:%s", e.Source, e.SourcePort, e.Target, e.TargetPort)
	e.Tensor, e.Problem = w.name, w.problem
	e.Datatype, e.Shape = d.carried(e)
	d.graph.Edges = append(d.graph.Edges, e)
}

func (d *drawing) node(n Node) {
	d.nodes[n.ID] = len(d.graph.Nodes)
	d.graph.Nodes = append(d.graph.Nodes, n)
}

// carried returns the type and effective shape of an edge's tensor: from its source, or else from its target.
func (d *drawing) carried(e Edge) (string, []int64) {
	source, target := d.graph.Nodes[d.nodes[e.Source]], d.graph.Nodes[d.nodes[e.Target]]
	for _, at := range []struct {
		node Node
		list []Port
		port string
	}{{source, source.Outputs, e.SourcePort}, {target, target.Inputs, e.TargetPort}} {
		if own, ok := d.declared[at.node.ID]; ok {
			return apiName(own.typ), effectiveShape(d.cfg, own.dims)
		}
		if i := slices.IndexFunc(at.list, func(p Port) bool { return p.Name == at.port && p.Datatype != "" }); i >= 0 {
			return at.list[i].Datatype, at.list[i].Shape
		}
	}
	return "", nil
}
