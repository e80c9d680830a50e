package check

import (
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/edit"
	"conch/configedit/text"
)

// stepFix adds the map that a step lacks: a tensor for every input of its model, or the outputs that other steps wait
// for. There is no fix if the tensors are not clear.
func (c *ensemble) stepFix(i int, field string) []diag.Fix {
	step := c.message(stepPath(i)...)
	if c.env == nil || step == nil {
		return nil
	}
	inner, ok := c.env.Model(c.graph.steps[i].ModelName)
	if !ok || inner.Effective == nil {
		return nil
	}
	pairs := c.feeds(inner)
	if field == "output_map" {
		pairs = c.gives(inner)
	}
	if len(pairs) == 0 {
		return nil
	}
	fix := diag.Fix{Title: "add " + field}
	block := ""
	for _, p := range pairs {
		if block != "" {
			block += "\n"
		}
		block += say("%s { key: %s value: %s }", field, text.Quote(p[0]), text.Quote(p[1]))
	}
	fix.Edits = []diag.Edit{edit.Insert(c.m.Decoded.Doc, step, block)}
	return []diag.Fix{fix}
}

// aModel is in a first step until a person names the model.
const aModel = "A_MODEL"

// firstStep returns the fix that writes a first step, with all inputs and outputs of the ensemble, where there is none yet. Which
// model it runs, and what the model calls its tensors, is for a person to write.
func (c *ensemble) firstStep() []diag.Fix {
	lines := []string{say("model_name: %q", aModel), "model_version: -1"}
	pair := func(field, tensor string) {
		lines = append(lines, say("%s { key: %s value: %s }", field, text.Quote(tensor), text.Quote(tensor)))
	}
	for _, in := range c.cfg.GetInput() {
		pair("input_map", in.GetName())
	}
	for _, out := range c.cfg.GetOutput() {
		pair("output_map", out.GetName())
	}
	step := "step [\n  {\n    " + strings.Join(lines, "\n    ") + "\n  }\n]"
	var fixes []diag.Fix
	switch scheduling := c.message("ensemble_scheduling"); {
	case scheduling == nil:
		fixes = c.insert("ensemble_scheduling {\n  " + strings.ReplaceAll(step, "\n", "\n  ") + "\n}")
	case c.emptyList(scheduling) != nil:
		fixes = []diag.Fix{{Edits: []diag.Edit{edit.Replace(c.m.Decoded.Doc, c.emptyList(scheduling), step)}}}
	default:
		fixes = c.insert(step, "ensemble_scheduling")
	}
	for i := range fixes {
		fixes[i].Title, fixes[i].Unfinished = "write a first step", aModel
	}
	return fixes
}

// emptyList returns the only field of a message, where it is a list that holds nothing, not even a comment.
func (c *ensemble) emptyList(m *text.Message) *text.Field {
	if len(m.Fields) != 1 {
		return nil
	}
	list, ok := m.Fields[0].Value.(*text.List)
	if !ok || !list.Close.Present() || strings.TrimSpace(c.m.Decoded.Doc.File.Slice(text.Span{Start: list.Open.Span.End, End: list.Close.Span.Start})) != "" {
		return nil
	}
	return m.Fields[0]
}

// feeds finds a tensor for each required input of a model: the tensor with the input's name, or else the only tensor
// that nothing reads. It returns nil unless every input has one.
func (c *ensemble) feeds(inner *Model) [][2]string {
	idle := c.wiresThat(func(w *wire) bool { return w.sourced() && len(w.readers) == 0 && w.output < 0 })
	var pairs [][2]string
	for _, in := range inner.Effective.GetInput() {
		w := c.graph.wires[in.Name]
		switch {
		case in.Optional:
		case w != nil && w.sourced():
			pairs = append(pairs, [2]string{in.Name, in.Name})
			idle = slices.DeleteFunc(idle, func(name string) bool { return name == in.Name })
		case len(idle) == 1:
			pairs = append(pairs, [2]string{in.Name, idle[0]})
			idle = nil
		default:
			return nil
		}
	}
	return pairs
}

// gives finds the outputs of a model that other steps wait for: by name, or else the only output for the only tensor.
func (c *ensemble) gives(inner *Model) [][2]string {
	lost := c.wiresThat(func(w *wire) bool { return !w.sourced() })
	outputs := inner.Effective.GetOutput()
	var pairs [][2]string
	for _, out := range outputs {
		if slices.Contains(lost, out.Name) {
			pairs = append(pairs, [2]string{out.Name, out.Name})
		}
	}
	if len(pairs) == 0 && len(outputs) == 1 && len(lost) == 1 {
		return [][2]string{{outputs[0].Name, lost[0]}}
	}
	return pairs
}

func (c *ensemble) wiresThat(good func(*wire) bool) []string {
	var names []string
	for _, w := range c.graph.order {
		if good(w) {
			names = append(names, w.name)
		}
	}
	return names
}
