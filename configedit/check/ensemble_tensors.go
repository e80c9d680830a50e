package check

import (
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// shape is the shape of an ensemble's tensor at one of its ends.
type shape struct {
	// model is the model at this end, or the ensemble itself for its inputs and outputs.
	model string
	typ   modelconfig.DataType
	dims  []int64
	// full has the batch dimension in it.
	full []int64
	// open means that the backend may still switch batching on.
	open bool
	// step is the index of the step, or -1 for the ensemble itself; side and port are the map and its key.
	step       int
	side, port string
	// reshaped means that dims are those of a reshape, which may be empty.
	reshaped bool
}

// unsized reports whether no shape is given.
func (s shape) unsized() bool { return len(s.dims) == 0 && !s.reshaped }

// mappings walks over the steps and compares their tensors with each other.
type mappings struct {
	*ensemble
	known map[string]shape
	told  map[string]bool
}

// checkMappings compares the tensors of the steps whose models are known (docs/triton/ensembles.md,
// "Agreement of tensors").
func (c *ensemble) checkMappings(composing []*Model) {
	open := c.unread(nil, "max_batch_size") // then dims may leave a batch dimension out
	m := &mappings{ensemble: c, known: map[string]shape{}, told: map[string]bool{}}
	for _, t := range tensorsOf(c.cfg) {
		if _, declared := m.known[t.name]; declared { // of two declarations with one name, the first counts
			continue
		}
		dims := t.dims
		if t.reshape != nil {
			dims = t.reshape.Shape
		}
		m.known[t.name] = shape{
			model: c.cfg.GetName(), typ: t.typ, dims: dims, full: effectiveShape(c.cfg, dims), step: -1, side: t.side, port: t.name,
			reshaped: t.reshape != nil, open: open,
		}
	}
	for _, w := range c.graph.order {
		m.told[w.name] = len(w.writers) > 1 // reported as E9; nobody knows which of them is right
	}
	for i, model := range composing {
		if model != nil && !m.full() {
			m.untilRun(i, model)
			m.batch(i, model)
			m.inputs(i, model)
			m.outputs(i, model)
		}
	}
	m.checkBranches(composing)
}

// batch: EV1.
func (m *mappings) batch(i int, model *Model) {
	own, inner := m.cfg.GetMaxBatchSize(), model.Effective.GetMaxBatchSize()
	if inner == 0 || inner >= own {
		return
	}
	message := say("the ensemble takes batches of %d, but model %q only of %d", own, model.Name, inner)
	raised := mayAdd(model) // a program may raise it, too
	if raised {
		message += "; its backend may raise that"
	}
	m.graph.note(i, message)
	m.report(finding{
		rule: rule.EV1, span: m.span("max_batch_size"), args: values(m.cfg.GetName(), own, model.Name, inner),
		message: message,
		related: []diag.Related{
			{Span: m.span(stepPath(i, "model_name")...), Message: say("model %q is used here", model.Name)},
			{File: File(model.Name), Span: spanIn(model, "max_batch_size"), Message: say("its max_batch_size is %d", inner)},
		},
		fixes: replace(say("replace %d by %d", own, inner), m.span("max_batch_size"), say("%d", inner)),
		taken: raised,
	})
}

// inputs: EV2 and EV3, and what the inputs say.
func (m *mappings) inputs(i int, model *Model) {
	step, inputs := m.graph.steps[i], model.Effective.GetInput()
	if len(inputs) == 0 && completes(model) || len(step.InputMap) == 0 {
		return // it is unknown what the backend fills in
	}
	var free, need []string
	for _, in := range inputs {
		if _, mapped := step.InputMap[in.Name]; !mapped {
			free = append(free, in.Name)
			if !in.Optional {
				need = append(need, in.Name)
			}
		}
	}
	known := setOf(names(inputs))
	for _, key := range m.graph.reads[i] {
		if !known[key] && !m.full() {
			used := m.wrongKey(wrongKey{step: i, side: "input", key: key, model: model, free: free, all: names(inputs)})
			free, need = without(free, used), without(need, used)
		}
	}
	for _, name := range need {
		if m.full() {
			break
		}
		m.unfed(i, model, name)
	}
	for _, in := range inputs {
		if tensor, mapped := step.InputMap[in.Name]; mapped {
			m.agree(tensor, m.said(i, model, port{"input", in.Name, in.DataType, in.Dims}))
		}
	}
}

// outputs: EV4, and what the outputs say.
func (m *mappings) outputs(i int, model *Model) {
	step, outputs := m.graph.steps[i], model.Effective.GetOutput()
	if len(outputs) == 0 && completes(model) {
		return
	}
	m.doubled(i, model)
	var free []string
	for _, out := range outputs {
		if _, mapped := step.OutputMap[out.Name]; !mapped {
			free = append(free, out.Name)
		}
	}
	known := setOf(names(outputs))
	for _, key := range m.graph.writes[i] {
		if !known[key] && !m.full() {
			used := m.wrongKey(wrongKey{step: i, side: "output", key: key, model: model, free: free, all: names(outputs)})
			free = without(free, used)
		}
	}
	for _, out := range outputs {
		if tensor, mapped := step.OutputMap[out.Name]; mapped {
			m.agree(tensor, m.said(i, model, port{"output", out.Name, out.DataType, out.Dims}))
		}
	}
}

// doubled: EV8, a model with two outputs of one name, which is then mapped twice.
func (m *mappings) doubled(i int, model *Model) {
	seen := map[string]bool{}
	for _, out := range model.Effective.GetOutput() {
		tensor, mapped := m.graph.steps[i].OutputMap[out.Name]
		if !mapped || !seen[out.Name] {
			seen[out.Name] = true
			continue
		}
		message := say("model %q has two outputs called %q, and no ensemble can tell them apart", model.Name, out.Name)
		m.graph.note(i, message)
		m.report(finding{
			rule: rule.EV8, span: m.span(stepPath(i, "output_map", out.Name, "key")...),
			args: values(m.cfg.GetName(), model.Name, tensor), message: message,
			related: []diag.Related{{File: File(model.Name), Span: tensorSpan(model, "output", out.Name), Message: "the first of them"}},
		})
	}
}

func names[T interface{ GetName() string }](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = x.GetName()
	}
	return out
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, name := range list {
		set[name] = true
	}
	return set
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return n == name })
}

// wrongKey is a key of a map that is not a tensor of the step's model.
type wrongKey struct {
	step      int
	side, key string
	model     *Model
	// free are the model's tensors that are not mapped yet; all are all of its tensors.
	free, all []string
}

// has lists the model's tensors for a sentence.
func (k *wrongKey) has() string {
	if len(k.all) == 0 {
		return "none"
	}
	return quotedList(k.all)
}

// wrongKey reports EV2 or EV4 and returns the name that was probably meant.
func (m *mappings) wrongKey(k wrongKey) string {
	field, tensor := "input_map", ""
	if k.side == "output" {
		field = "output_map"
		tensor = m.graph.steps[k.step].OutputMap[k.key]
	} else {
		tensor = m.graph.steps[k.step].InputMap[k.key]
	}
	better := guess(k.key, k.free)
	if better == "" && len(k.free) == 1 {
		better = k.free[0]
	}
	d := finding{
		rule: rule.EV2, span: m.span(stepPath(k.step, field, k.key, "key")...),
		args:    values(m.cfg.GetName(), tensor, k.key, k.model.Name),
		message: say("model %q has no %s %q; it has %s", k.model.Name, k.side, k.key, k.has()),
		related: []diag.Related{{File: File(k.model.Name), Span: spanIn(k.model, k.side), Message: say("the %ss of %q", k.side, k.model.Name)}},
	}
	if k.side == "output" {
		d.rule = rule.EV4
		d.args = values(m.cfg.GetName(), tensor, k.key, k.model.Name)
	}
	if swap := m.turned(k, field, tensor); swap != nil {
		d.message += "; key and value are swapped"
		d.fixes, better = swap, tensor
		m.saysTurned(&d)
		if w := m.graph.wires[tensor]; w != nil && !w.sourced() {
			w.problem = d.message
		}
	} else if better != "" && m.has(stepPath(k.step, field, k.key, "key")...) {
		d.fixes = replace(say("replace %s by %s", k.key, better), d.span, text.Quote(better))
	}
	if mayAdd(k.model) {
		if p := Program(k.model); p != nil && p.Says(k.key) {
			return "" // it surely adds the tensor
		}
		d.taken, d.message = true, d.message+"; its backend may add it"
	}
	m.graph.note(k.step, d.message)
	m.report(d)
	return better
}

// quotedList lists names for a sentence.
func quotedList(list []string) string {
	const most = 6
	quoted := make([]string, 0, most)
	for i, name := range list {
		if i == most {
			quoted = append(quoted, say("%d more", len(list)-most))
			break
		}
		quoted = append(quoted, say("%q", name))
	}
	return strings.Join(quoted, ", ")
}

// unfed: EV3.
func (m *mappings) unfed(i int, model *Model, name string) {
	if p := Program(model); m.spoiled(stepPath(i)...) || p != nil && completes(model) && p.Says("optional") {
		return // the program may say that it is optional
	}
	d := finding{
		rule: rule.EV3, span: m.name(stepPath(i, "input_map")...), args: values(m.cfg.GetName(), name, model.Name),
		message: say("input %q of model %q gets no tensor; every input that is not optional needs one", name, model.Name),
		related: []diag.Related{{File: File(model.Name), Span: tensorSpan(model, "input", name), Message: say("input %q of %q", name, model.Name)}},
	}
	if w := m.graph.wires[name]; w != nil && w.sourced() && !slices.ContainsFunc(w.writers, func(e end) bool { return e.step == i }) {
		d.fixes = m.insert(say("input_map {\n  key: %s\n  value: %s\n}", text.Quote(name), text.Quote(name)), stepPath(i)...)
		for f := range d.fixes {
			d.fixes[f].Title = say("feed %s from tensor %s", name, name)
		}
	}
	m.graph.note(i, d.message)
	m.report(d)
}

// spanIn returns the place of a value in the config of another model.
func spanIn(m *Model, path ...any) diag.Span {
	if m.Decoded == nil {
		return diag.Span{}
	}
	return m.Decoded.NameSpan(path...)
}

// tensorSpan returns the place where another model names an input or output.
func tensorSpan(m *Model, side, name string) diag.Span {
	if m.Decoded == nil {
		return diag.Span{}
	}
	for _, t := range tensorsOf(m.Decoded.Config) {
		if t.side == side && t.name == name {
			return m.Decoded.Span(t.path("name")...)
		}
	}
	return m.Decoded.NameSpan(side)
}
