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
	// unsaid tells that Triton prints nothing in this case, though the rule has a sentence.
	unsaid bool
	// sentence is Triton's sentence where it was made already; status is the name of its error code where that is not
	// the rule's.
	sentence string
	status   rule.Status
	// stage is when Triton looks in this case, where that is not the rule's stage.
	stage rule.Stage
	// taken tells that Triton takes this case, so that it is only a warning.
	taken bool
	// perhaps tells that Triton takes this case on some servers only, so that nobody can tell what it says first.
	perhaps bool
	// refused tells that Conch's own engine refuses what Triton takes.
	refused bool
	// follows tells that the finding is the consequence of an error in the file that related names.
	follows bool
	related []diag.Related
	// models are other models that the finding is about, beside those of related.
	models []string
	fixes  []diag.Fix
}

// values are the values of Triton's sentence.
func values(args ...any) []any { return args }

// diagnostic is what people see of a finding.
func (f *finding) diagnostic() diag.Diagnostic {
	d := diag.Diagnostic{
		Severity: f.rule.Severity, Code: f.rule.ID, Span: f.span, Message: f.message, Triton: f.sentence,
		Related: f.related, Fixes: f.fixes, Follows: f.follows, Models: f.models,
	}
	if f.taken || f.perhaps {
		d.Severity = diag.Warning
	}
	if f.refused {
		d.Severity = diag.Error
	}
	if d.Triton == "" && !f.unsaid {
		d.Triton = f.said()
	}
	return d
}

// kept is the finding as the list has it.
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

// said is Triton's sentence with the values of the finding.
func (f *finding) said() string {
	if f.also > 0 {
		return f.rule.Other(f.also, f.args...)
	}
	return f.rule.Sentence(f.args...)
}

// problem is a finding of what derive found about a model file.
func (c *checker) problem(p *derive.Problem) finding {
	return finding{
		rule: p.Rule, span: c.span(p.Path...), status: p.Code, sentence: p.Triton, unsaid: p.Triton == "",
		taken: p.Late,
	}
}

// kept is a finding that was taken into the list.
type kept struct {
	diag.Diagnostic
	rule    *rule.Rule
	stage   rule.Stage
	status  rule.Status
	perhaps bool
}
