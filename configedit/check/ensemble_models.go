package check

import (
	"slices"
	"strings"

	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// checkSteps looks at the models of the steps (docs/triton/ensembles.md, "Models of the steps"),
// and compares the tensors of those that exist and load (docs/triton/ensembles.md, "Agreement of
// tensors").
func (c *ensemble) checkSteps() {
	if c.env == nil {
		return
	}
	walk := c.circle()
	composing := make([]*Model, len(c.graph.steps))
	for i, step := range c.graph.steps {
		if step.ModelName == "" || c.full() {
			continue
		}
		m, ok := c.env.Model(step.ModelName)
		if !ok {
			c.unknownModel(i)
			continue
		}
		if walk != nil { // beside a circle, only what Triton finds before it is reported
			c.listed(i, m)
			continue
		}
		if isTemplate(m) {
			continue
		}
		c.stepVersion(i, m)
		if c.loads(i, m) {
			composing[i] = m
		}
	}
	if walk != nil {
		c.inCircle(walk)
		return
	}
	c.checkMappings(composing)
}

// unknownModel: D1.
func (c *ensemble) unknownModel(i int) {
	path := stepPath(i, "model_name")
	name := c.graph.steps[i].ModelName
	d := finding{
		rule: rule.D1, span: c.span(path...), args: values(c.cfg.GetName(), name),
		message: say("there is no model %q in this repository", name),
	}
	others := slices.DeleteFunc(slices.Clone(c.env.Names()), func(n string) bool { return n == c.m.Name })
	better := guess(name, others)
	tail, fixes := didYouMean(name, better, d.span, text.Quote(better))
	d.message, d.fixes = d.message+tail, fixes
	c.graph.note(i, d.message)
	c.report(d)
}

// stepVersion: D5.
func (c *ensemble) stepVersion(i int, m *Model) {
	version := c.graph.steps[i].ModelVersion
	if version == -1 || m.Folder == nil || slices.Contains(Served(m), version) || len(Served(m)) == 0 || c.spoiled(stepPath(i)...) {
		return
	}
	path := stepPath(i, "model_version")
	d := finding{rule: rule.D5, span: c.span(path...), args: values(c.cfg.GetName(), m.Name, version)}
	served := strings.Join(numbers(Served(m)), ", ")
	if c.has(path...) {
		d.message = say("model %q has no version %d; it serves %s, and -1 means the newest", m.Name, version, served)
		d.fixes = replace(say("replace %d by -1", version), d.span, "-1")
	} else {
		d.span = c.stepSpan(i)
		d.message = say("step %d has no model_version, which means version 0, and model %q does not have that version; -1 means the newest", stepNumber(i), m.Name)
		d.fixes = c.insert("model_version: -1", stepPath(i)...)
	}
	c.graph.note(i, d.message)
	c.report(d)
}

// listed: D1 for a model whose own config Triton refuses. Such a model does not count as a model of the repository.
func (c *ensemble) listed(i int, m *Model) {
	if m.Name == c.m.Name && diag.HasErrors(m.Syntax) {
		return // this text
	}
	if bad := c.shared.unlisted(m); bad != nil {
		c.fails(i, m, bad)
	}
}

// loads reports whether a step's model is right by itself: D1, D3 and D4.
func (c *ensemble) loads(i int, m *Model) bool {
	bad := c.shared.failure(m, c.env)
	if bad != nil {
		c.fails(i, m, bad)
	}
	return bad == nil
}

// fails reports a step's model that has an error of its own.
func (c *ensemble) fails(i int, m *Model, bad *failure) {
	e, name := c.cfg.GetName(), m.Name
	d := finding{
		rule: rule.D4, span: c.span(stepPath(i, "model_name")...),
		message: say("model %q of this step has an error of its own: %s", name, bad.message),
		related: []diag.Related{{File: File(name), Span: bad.span, Message: bad.message}}, follows: true,
	}
	switch {
	case bad.stage <= rule.Name:
		d.rule, d.args = rule.D1, values(e, name)
	case bad.stage <= rule.Tensors:
		d.rule, d.args = rule.D3, values(e, name, name, bad.sentence)
	case bad.stage == rule.Versions:
		d.also, d.args = 1, values(e, name, name, bad.sentence)
	default:
		d.args = values(e, name, name, newest(m), bad.status, bad.sentence)
	}
	c.graph.note(i, d.message)
	c.report(d)
}

func newest(m *Model) int64 {
	served := Served(m)
	if len(served) == 0 {
		return 1
	}
	return served[len(served)-1]
}
