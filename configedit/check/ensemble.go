package check

import (
	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// ensemble checks an ensemble: its steps, how tensors go from one to the other, and the models of the steps.
type ensemble struct {
	*checker
	graph *wiring
	// turned are mistakes of the wiring that exist only because keys and values of maps are swapped; see turnedMaps.
	turned turnedMaps
}

func newEnsemble(c *checker) *ensemble { return &ensemble{checker: c, graph: newWiring(c.cfg)} }

// stepPath returns the path of a step, or of a field in it.
func stepPath(step int, rest ...any) []any {
	return append([]any{"ensemble_scheduling", "step", step}, rest...)
}

// stepNumber returns the number of a step in messages. People count from 1; Triton's sentences count from 0.
func stepNumber(step int) int { return step + 1 }

// stepName returns the name of a step in messages. A step without a model has only its number.
func (c *ensemble) stepName(step int) string {
	if c.graph.steps[step].ModelName == "" {
		return say("step %d", stepNumber(step))
	}
	return say("step %d (%s)", stepNumber(step), c.graph.steps[step].ModelName)
}

// checkEnsemble checks the wiring of an ensemble (docs/triton/ensembles.md, "The wiring"). If the
// wiring is right, it also checks the models and tensors.
func checkEnsemble(base *checker) {
	c := newEnsemble(base)
	if c.cfg.GetEnsembleScheduling() == nil {
		c.noScheduling()
		return
	}
	c.check()
}

// check checks an ensemble that has steps.
func (c *ensemble) check() {
	scheduling := c.cfg.GetEnsembleScheduling()
	c.ensembleOnly()
	if len(scheduling.Step) == 0 {
		c.noStep()
		return
	}
	whole := true
	for i := range scheduling.Step {
		if c.full() {
			return
		}
		whole = c.stepParts(i) && whole
	}
	if c.writtenTwice() && whole && !c.unread(named, "input", "output", "ensemble_scheduling") {
		c.checkFlow()
	}
	c.checkSteps()
	c.reportTurned()
}

// noScheduling: E0'.
func (c *ensemble) noScheduling() {
	if c.cfg.GetPlatform() != "ensemble" || !c.missing("ensemble_scheduling") {
		return
	}
	c.report(finding{
		rule: rule.E0, span: c.span("platform"), args: values(c.cfg.GetName()),
		message: "an ensemble needs ensemble_scheduling with its steps",
		fixes:   c.firstStep(),
	})
}

// ensembleOnly: what an ensemble must and must not have, E1 to E4.
func (c *ensemble) ensembleOnly() {
	name, platform := c.cfg.GetName(), c.cfg.GetPlatform()
	if backend := c.cfg.GetBackend(); platform != "ensemble" && backend != "" && c.m.Problem == nil {
		c.notAnEnsemble(platform)
	}
	forbid := func(r *rule.Rule, present bool, field, why string) {
		if present {
			c.report(finding{
				rule: r, span: c.name(field), args: values(name),
				message: say("an ensemble takes no %s: %s", field, why), fixes: c.remove("remove "+field, field),
			})
		}
	}
	forbid(rule.E2, len(c.cfg.GetInstanceGroup()) > 0, "instance_group", "its steps' models have their own")
	forbid(rule.E3, c.cfg.GetOptimization() != nil, "optimization", "it belongs in its steps' models")
	forbid(rule.E4, len(c.cfg.GetModelWarmup()) > 0, "model_warmup", "its steps' models are warmed up by themselves")
}

// notAnEnsemble: E1.
func (c *ensemble) notAnEnsemble(platform string) {
	d := finding{
		rule: rule.E1, span: c.name("ensemble_scheduling"), args: values(c.cfg.GetName()),
		message: say("ensemble_scheduling is for ensembles, and the platform is %q", platform),
	}
	switch {
	case c.has("platform") && !c.has("backend"):
		d.span = c.span("platform")
		d.fixes = replace(say("replace %s by ensemble", platform), d.span, `"ensemble"`)
	case !c.has("platform") && !c.has("backend"):
		d.message = `an ensemble must say so itself: platform: "ensemble" is missing`
		d.fixes = c.insert(`platform: "ensemble"`)
	case c.has("backend") && !c.has("platform"):
		d.message = "ensemble_scheduling is for ensembles, and this model has a backend"
		field := c.m.Decoded.Field("backend")
		d.fixes = []diag.Fix{{
			Title: `write platform: "ensemble" instead of backend`,
			Edits: []diag.Edit{{Span: field.Span(), New: `platform: "ensemble"`}},
		}}
	}
	c.report(d)
}

// noStep: E5.
func (c *ensemble) noStep() {
	if c.spoiled("ensemble_scheduling") || c.has("ensemble_scheduling", "step", 0) {
		return
	}
	c.report(finding{
		rule: rule.E5, span: c.name("ensemble_scheduling"), args: values(c.cfg.GetName()),
		message: "the ensemble has no step",
		fixes:   c.firstStep(),
	})
}

// stepParts: E6 to E8. It returns false if a part is or may be missing.
func (c *ensemble) stepParts(i int) bool {
	step, name := c.graph.steps[i], c.cfg.GetName()
	part := func(r *rule.Rule, field string, present bool, message string) bool {
		if present {
			return true
		}
		if !c.spoiled(stepPath(i)...) && (!c.has(stepPath(i, field)...) || field == "model_name") {
			c.graph.note(i, message)
			d := finding{
				rule: r, span: c.stepSpan(i), message: message, args: values(i, name),
			}
			if field != "model_name" {
				d.fixes = c.stepFix(i, field)
			}
			c.report(d)
		}
		return false
	}
	named := part(rule.E6, "model_name", step.ModelName != "", say("step %d does not say which model it runs: model_name is missing", stepNumber(i)))
	fed := part(rule.E7, "input_map", len(step.InputMap) > 0, say("%s has no input_map, so its model gets no tensors", c.stepName(i)))
	read := part(rule.E8, "output_map", len(step.OutputMap) > 0, say("%s has no output_map, so nothing that its model gives is used", c.stepName(i)))
	return named && fed && read
}

// stepSpan returns the place to point at if a step lacks a part: its model's name.
func (c *ensemble) stepSpan(i int) diag.Span {
	if c.has(stepPath(i, "model_name")...) {
		return c.span(stepPath(i, "model_name")...)
	}
	return c.name(stepPath(i, "input_map")...)
}

// writtenTwice: E9. It returns false if two steps write a tensor.
func (c *ensemble) writtenTwice() bool {
	var twice []mistake
	for _, w := range c.graph.order {
		if len(w.writers) < 2 {
			continue
		}
		first, second := w.writers[0], w.writers[1]
		w.problem = say("%s and %s both write tensor %q", c.stepName(first.step), c.stepName(second.step), w.name)
		twice = append(twice, mistake{finding: finding{
			rule: rule.E9, span: c.span(stepPath(second.step, "output_map", second.port, "value")...),
			args: values(w.name, c.cfg.GetName(), second.step), message: w.problem,
			related: []diag.Related{{Span: c.span(stepPath(first.step, "output_map", first.port, "value")...), Message: "written here first"}},
		}})
	}
	c.reportWiring(twice)
	return len(twice) == 0
}

// readers returns a fix that makes all steps that read one tensor read another.
func (c *ensemble) readers(w *wire, better string) []diag.Fix {
	fix := diag.Fix{Title: say("read %s instead of %s", better, w.name)}
	if w.name == "" {
		fix.Title = say("read %s", better)
	}
	for _, r := range w.readers {
		path := stepPath(r.step, "input_map", r.port, "value")
		if !c.has(path...) {
			return nil
		}
		fix.Edits = append(fix.Edits, diag.Edit{Span: c.span(path...), New: text.Quote(better)})
	}
	return []diag.Fix{fix}
}
