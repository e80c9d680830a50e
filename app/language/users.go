package language

import (
	"slices"

	"conch/configedit/check"
	"conch/configedit/diag"
)

// Users lists the ensembles that have a model as a step, sorted.
func (a *Analysis) Users(name string) []*Model {
	var users []*Model
	for _, other := range a.names {
		if m := a.models[other]; other != name && slices.Contains(m.Uses(), name) {
			users = append(users, m)
		}
	}
	return users
}

// DiagnoseUse lists what is wrong with an ensemble because of a model in it: the diagnostics of the
// steps that run the model, and those about it.
func (a *Analysis) DiagnoseUse(user *Model, name string) []diag.Diagnostic {
	decoded := user.Decoded()
	var steps []diag.Span
	for i, step := range decoded.Config.GetEnsembleScheduling().GetStep() {
		if step.ModelName == name {
			steps = append(steps, decoded.Span("ensemble_scheduling", "step", i))
		}
	}
	within := func(s diag.Span) bool {
		return slices.ContainsFunc(steps, func(step diag.Span) bool { return step.Contains(s.Start) })
	}
	names := func(r diag.Related) bool { return r.File == check.File(name) || r.File == "" && within(r.Span) }
	return slices.DeleteFunc(a.Diagnose(user), func(d diag.Diagnostic) bool {
		return !within(d.Span) && !slices.ContainsFunc(d.Related, names) && !slices.Contains(d.Models, name)
	})
}
