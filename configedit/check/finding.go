package check

import (
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// finding is one broken rule, as a check reports it. The rule supplies the code, the stage, the severity and Triton's
// sentence; the finding supplies the place, the message and the values.
type finding struct {
	rule    *rule.Rule
	span    diag.Span
	message string
	// args are the values of Triton's sentence. also is the number of another sentence of the rule, from 1.
	args []any
	also int
	// unsaid means that Triton prints nothing in this case, although the rule has a sentence.
	unsaid bool
	// sentence is Triton's sentence if it is already complete; status is the name of its error code if it is not the
	// rule's.
	sentence string
	status   rule.Status
	// stage is when Triton checks this case, if that is not the rule's stage.
	stage rule.Stage
	// taken means that Triton accepts this case, so it is only a warning.
	taken bool
	// perhaps means that only some servers accept this case, so it is unknown what Triton says first.
	perhaps bool
	// sure means that Triton refuses this case on every machine that is meant, although the rule's other cases only on some.
	sure bool
	// refused means that Conch's own engine refuses what Triton accepts.
	refused bool
	// follows means that the finding is a consequence of an error in the file that related names.
	follows bool
	related []diag.Related
	program diag.ProgramLine
	// models are other models that the finding is about, besides those of related.
	models []string
	// missing is as in diag.Diagnostic.
	missing string
	fixes   []diag.Fix
}

// values are the values of Triton's sentence.
func values(args ...any) []any { return args }

// diagnostic returns what people see of a finding.
func (f *finding) diagnostic() diag.Diagnostic {
	d := diag.Diagnostic{
		Severity: f.rule.Severity, Code: f.rule.ID, Span: f.span, Message: f.message, Triton: f.sentence,
		Related: f.related, Fixes: f.fixes, Follows: f.follows, Models: f.models, Missing: f.missing, Program: f.program,
		Perhaps: (f.perhaps || f.rule.Perhaps) && !f.taken && !f.refused && !f.sure,
	}
	if f.taken || f.perhaps {
		d.Severity = diag.Warning
	}
	if f.refused || f.sure {
		d.Severity = diag.Error
	}
	if d.Triton == "" && !f.unsaid {
		d.Triton = f.said()
	}
	return d
}

// kept returns the finding as the list stores it.
func (f *finding) kept() kept {
	k := kept{Diagnostic: f.diagnostic(), rule: f.rule, stage: f.rule.Stage, status: f.rule.Status, perhaps: f.perhaps}
	if f.stage != 0 {
		k.stage = f.stage
	}
	if f.status != "" {
		k.status = f.status
	}
	return k
}

// said returns Triton's sentence with the values of the finding.
func (f *finding) said() string {
	if f.also > 0 {
		return f.rule.Other(f.also, f.args...)
	}
	return f.rule.Sentence(f.args...)
}

// problem makes a finding from a problem that derive found in a model file.
func (c *checker) problem(p *derive.Problem) finding {
	return finding{
		rule: p.Rule, span: c.span(p.Path...), status: p.Code, sentence: p.Triton, unsaid: p.Triton == "",
		taken: p.Late,
	}
}

// kept is a finding in the list.
type kept struct {
	diag.Diagnostic
	rule    *rule.Rule
	stage   rule.Stage
	status  rule.Status
	perhaps bool
}
