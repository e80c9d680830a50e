package language

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/check"
	"conch/configedit/diag"
)

// Users lists the ensembles that a model is a step of, sorted.
func (a *Analysis) Users(name string) []*Model {
	var users []*Model
	for _, other := range a.names {
		if m := a.models[other]; other != name && slices.Contains(m.Uses(), name) {
			users = append(users, m)
		}
	}
	return users
}

// DiagnoseUse lists what is wrong with an ensemble on account of a model that it is made of: what is told of the steps
// that run it, or names it.
func (a *Analysis) DiagnoseUse(user *Model, name string) []diag.Diagnostic {
	decoded := user.Decoded()
	var steps []diag.Span
	for i, step := range decoded.Config.GetEnsembleScheduling().GetStep() {
		if step.ModelName == name {
			steps = append(steps, decoded.Span("ensemble_scheduling", "step", i))
		}
	}
	return slices.DeleteFunc(a.Diagnose(user), func(d diag.Diagnostic) bool {
		within := func(s diag.Span) bool { return s.Contains(d.Span.Start) }
		other := func(r diag.Related) bool { return r.File == check.File(name) }
		return !slices.ContainsFunc(steps, within) && !slices.ContainsFunc(d.Related, other) &&
			!strings.Contains(d.Message, strconv.Quote(name))
	})
}
