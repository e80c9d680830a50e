package check

import (
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// port is a tensor of a step's model.
type port struct {
	side, name string
	typ        modelconfig.DataType
	dims       []int64
}

// said is what a step's model says about a tensor.
func (m *mappings) said(i int, model *Model, p port) shape {
	cfg := model.Effective
	return shape{
		model: model.Name, typ: p.typ, dims: p.dims, full: effectiveShape(cfg, p.dims),
		open: cfg.GetMaxBatchSize() == 0 && completes(model),
		step: i, side: p.side, port: p.name,
	}
}

// agree compares another end of a tensor with the first end: EV5 and EV6.
func (m *mappings) agree(tensor string, s shape) {
	first, known := m.known[tensor]
	if !known {
		m.known[tensor] = s
		return
	}
	if s.typ == modelconfig.DataType_TYPE_INVALID || len(s.dims) == 0 {
		return // the model's own mistake, or its backend fills it in
	}
	if first.step < 0 && m.incomplete(tensor, first, s) {
		return
	}
	if first.typ == modelconfig.DataType_TYPE_INVALID || first.unsized() || m.told[tensor] || m.full() {
		return
	}
	switch {
	case first.typ != s.typ:
		m.disagree(rule.EV5, tensor, first, s)
	case !fits(first, s):
		m.disagree(rule.EV6, tensor, first, s)
	}
}

// incomplete keeps what a step says about an input or output of the ensemble whose own type or dims are missing.
func (m *mappings) incomplete(tensor string, own, s shape) bool {
	key := own.side + "/" + own.port
	missing := false
	if own.typ == modelconfig.DataType_TYPE_INVALID {
		missing = true
		m.infer(key+"/type", inference{
			rule: rule.EV5, sentence: m.sentence(rule.EV5, tensor, own, s), from: s.model,
			fixes: m.insert("data_type: "+s.typ.String(), own.side, m.indexOf(own)),
		})
	}
	if own.unsized() {
		missing = true
		inferred := inference{rule: rule.EV6, sentence: m.sentence(rule.EV6, tensor, own, s), from: s.model}
		if dims, ok := m.dimsFrom(s); ok {
			inferred.fixes = m.setDims(dims, own.side, m.indexOf(own), "dims")
		}
		m.infer(key+"/dims", inferred)
	}
	return missing
}

func (m *mappings) infer(key string, i inference) {
	if _, known := m.inferred[key]; !known {
		m.inferred[key] = i
	}
}

func (m *mappings) indexOf(own shape) int {
	w := m.graph.wires[own.port]
	if own.side == "input" {
		return w.input
	}
	return w.output
}

// fits compares shapes as Triton does: as written, and then with the batch dimension of those that batch.
func fits(a, b shape) bool {
	if wild(a.dims, b.dims) || wild(a.full, b.full) {
		return true
	}
	batched := func(s shape) []int64 { return append([]int64{-1}, s.dims...) }
	return a.open && wild(batched(a), b.full) || b.open && wild(a.full, batched(b))
}

// wild compares shapes in which -1 stands for any size.
func wild(a, b []int64) bool {
	return slices.EqualFunc(a, b, func(x, y int64) bool { return x == y || x == -1 || y == -1 })
}

// sentence is Triton's sentence about two ends of a tensor that differ, by EV5 or EV6.
func (m *mappings) sentence(r *rule.Rule, tensor string, first, s shape) string {
	a, b := typeName(first.typ), typeName(s.typ)
	if r == rule.EV6 {
		a, b = compact(first.full), compact(s.full)
	}
	return r.Sentence(m.cfg.GetName(), tensor, a, first.model, b, s.model)
}

// compact writes a shape as Triton does: [-1,64].
func compact(dims []int64) string { return "[" + strings.Join(numbers(dims), ",") + "]" }

// tensorText is a type with its effective shape: FP32 [-1, 64].
func (s shape) tensorText() string { return apiName(s.typ) + " " + shown(s.full) }

func apiName(t modelconfig.DataType) string {
	if t == modelconfig.DataType_TYPE_STRING {
		return "BYTES"
	}
	return strings.TrimPrefix(t.String(), "TYPE_")
}

// end returns which end of a tensor a model is.
func (s shape) end() string {
	if s.side == "output" {
		return say("out of %q", s.model)
	}
	return say("into %q", s.model)
}

func (m *mappings) disagree(r *rule.Rule, tensor string, first, s shape) {
	m.told[tensor] = true
	d := finding{rule: r, sentence: m.sentence(r, tensor, first, s)}
	here := stepPath(s.step, s.side+"_map", s.port, "value")
	there := diag.Related{File: File(s.model), Span: m.portSpan(s), Message: say("%s %q of %q is %s", s.side, s.port, s.model, s.tensorText())}
	if first.step < 0 {
		d.message = say("%s %q is %s here, and %s of model %q is %s", first.side, tensor, first.tensorText(), s.side, s.model, s.tensorText())
		d.message = strings.Replace(d.message, s.side+" of model", say("%s %q of model", s.side, s.port), 1)
		m.blameOwn(&d, first, s)
		d.related = append(d.related, diag.Related{Span: m.span(here...), Message: say("it goes %s here", s.end())}, there)
	} else {
		d.span = m.span(here...)
		d.message = say("tensor %q is %s %s, and %s %s", tensor, first.tensorText(), first.end(), s.tensorText(), s.end())
		d.related = []diag.Related{
			{Span: m.span(stepPath(first.step, first.side+"_map", first.port, "value")...), Message: say("the other end: %s %s", first.tensorText(), first.end())},
			{File: File(first.model), Span: m.portSpan(first), Message: say("%s %q of %q is %s", first.side, first.port, first.model, first.tensorText())},
			there,
		}
	}
	if w := m.graph.wires[tensor]; w != nil && w.problem == "" {
		w.problem = d.message
	}
	m.report(d)
}

// blameOwn points at the type or dims of the ensemble's own input or output, which can be mended here.
func (m *mappings) blameOwn(d *finding, own, s shape) {
	i := m.indexOf(own)
	if d.rule == rule.EV5 {
		d.span = m.span(own.side, i, "data_type")
		d.fixes = replace(say("replace %s by %s", own.typ, s.typ), d.span, s.typ.String())
		return
	}
	if own.reshaped {
		d.span = m.span(own.side, i, "reshape")
		return
	}
	d.span = m.span(own.side, i, "dims")
	if dims, ok := m.dimsFrom(s); ok {
		d.fixes = m.setDims(dims, own.side, i, "dims")
	}
}

// dimsFrom returns dims for the ensemble that fit a step's model, and false if there are none, or if it is not known whether the
// ensemble batches.
func (m *mappings) dimsFrom(s shape) ([]int64, bool) {
	if m.unread(nil, "max_batch_size") {
		return nil, false
	}
	if m.cfg.GetMaxBatchSize() <= 0 {
		return s.full, true
	}
	if len(s.full) > len(s.dims) {
		return s.dims, true
	}
	if len(s.full) > 1 && s.full[0] == -1 {
		return s.full[1:], true
	}
	return s.dims, true
}

func (m *mappings) portSpan(s shape) diag.Span {
	model, ok := m.env.Model(s.model)
	if !ok {
		return diag.Span{}
	}
	return tensorSpan(model, s.side, s.port)
}
