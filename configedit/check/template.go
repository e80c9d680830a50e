package check

import (
	"slices"

	"conch/configedit/derive"
	"conch/configedit/diag"
)

// certain keeps the mistakes of a template that do not depend on the filled-in values: those that all substitutes have.
func certain(m *Model, env Env, list []diag.Diagnostic) []diag.Diagnostic {
	for _, cfg := range m.Decoded.Template.Others {
		if len(list) == 0 {
			break
		}
		decoded := *m.Decoded
		decoded.Config = cfg
		other := *m
		other.Decoded = &decoded
		other.Effective, _, other.Problem = derive.Effective(cfg, m.Facts)
		also := newChecker(&other, env, newShared()).run()
		list = slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return slices.IndexFunc(also, same(d)) < 0 })
		for i, d := range list {
			if also[slices.IndexFunc(also, same(d))].Triton != d.Triton { // a substitute is in it
				list[i].Triton = ""
			}
			list[i].First = false
		}
	}
	return list
}

func same(d diag.Diagnostic) func(diag.Diagnostic) bool {
	return func(o diag.Diagnostic) bool { return o.Code == d.Code && o.Span == d.Span && o.Message == d.Message }
}

// isTemplate reports whether a model's config is a template. An ensemble cannot be compared with a template.
func isTemplate(m *Model) bool { return m.Decoded != nil && m.Decoded.Template != nil }
