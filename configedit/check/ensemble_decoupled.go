package check

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// decoupled reports whether a model may answer any number of times. An ensemble may if one of its
// steps may, even if its own config says otherwise (docs/triton/ensembles.md, "Agreement of tensors").
func (c *checker) decoupled(m *Model) bool { return c.shared.decouples(m, c.env) }

// decouples caches its results. An ensemble that is still being checked counts as not decoupled.
func (s *shared) decouples(m *Model, env Env) bool {
	steps := m.Effective.GetEnsembleScheduling().GetStep()
	if len(steps) == 0 || env == nil {
		return m.Effective.GetModelTransactionPolicy().GetDecoupled()
	}
	if known, ok := s.decoupled[m.Name]; ok {
		return known
	}
	s.decoupled[m.Name] = false
	s.decoupled[m.Name] = slices.ContainsFunc(steps, func(step *modelconfig.ModelEnsembling_Step) bool {
		inner, ok := env.Model(step.ModelName)
		return ok && s.decouples(inner, env)
	})
	return s.decoupled[m.Name]
}

// checkBranches: EV7. The answers of a decoupled model cannot be combined with tensors from another source, because
// nobody knows which answers belong together.
func (m *mappings) checkBranches(composing []*Model) {
	if m.cfg.GetEnsembleScheduling() == nil || slices.Contains(composing, nil) {
		return
	}
	labels, next := map[*wire]int{}, 0
	m.graph.flow((*wire).declared)
	for _, i := range m.graph.ran {
		step := m.graph.steps[i]
		mixed := ""
		label := -1
		for _, port := range m.graph.reads[i] {
			l := labels[m.graph.wires[step.InputMap[port]]]
			if label >= 0 && l != label {
				mixed = port
			}
			label = max(label, l)
		}
		if mixed != "" {
			m.branch(i, mixed)
			return
		}
		if m.decoupled(composing[i]) {
			next++
			label = next
		}
		for _, tensor := range step.OutputMap {
			labels[m.graph.wires[tensor]] = max(label, 0)
		}
	}
	m.mixedOutputs(labels)
}

// mixedOutputs: the ensemble's own outputs are joined to one answer as well.
func (m *mappings) mixedOutputs(labels map[*wire]int) {
	outputs := m.cfg.GetOutput()
	for i, out := range outputs {
		if labels[m.graph.wires[out.Name]] == labels[m.graph.wires[outputs[0].Name]] {
			continue
		}
		m.report(finding{
			rule: rule.EV7, span: m.span("output", i, "name"), args: values(m.cfg.GetName(), m.cfg.GetName()),
			message: say("outputs %q and %q come from different decoupled models, or one of them from another source; their answers cannot be matched",
				outputs[0].Name, out.Name),
			related: []diag.Related{{Span: m.span("output", 0, "name"), Message: "the other output"}},
		})
		return
	}
}

func (m *mappings) branch(i int, port string) {
	message := say("%s joins tensors that come from different decoupled models, or from a decoupled model and another source; their answers cannot be matched", m.stepName(i))
	m.graph.note(i, message)
	m.report(finding{
		rule: rule.EV7, span: m.span(stepPath(i, "input_map", port, "value")...),
		args: values(m.cfg.GetName(), m.owner(i)), message: message,
	})
}

// owner is the model that Triton names for a step: the one that first speaks of the tensor that the step writes, which
// is the ensemble where the tensor is its own input or output.
func (m *mappings) owner(step int) string {
	if len(m.graph.writes[step]) == 0 {
		return m.cfg.GetName()
	}
	w := m.graph.wires[m.graph.steps[step].OutputMap[m.graph.writes[step][0]]]
	if w.input >= 0 || w.output >= 0 {
		return m.cfg.GetName()
	}
	first := step
	for _, e := range slices.Concat(w.readers, w.writers) {
		first = min(first, e.step)
	}
	return m.graph.steps[first].ModelName
}
