package workspace

import (
	"slices"

	"conch/app/api"
	"conch/app/language"
	"conch/repo/scan"
)

// troubles are what a scan could not read of a model, as problems of its files. What concerns the folder is told of
// the config, which is what people look at.
func troubles(m *scan.Model) []*api.FileProblems {
	var list []*api.FileProblems
	for _, p := range m.Problems {
		path := relative(m, p.Path)
		if path == "." {
			path = language.ConfigName
		}
		severity := api.Diagnostic_SEVERITY_ERROR
		if p.Code.Harmless() {
			severity = api.Diagnostic_SEVERITY_WARNING
		}
		list = append(list, &api.FileProblems{Model: m.Name, Path: path, Diagnostics: []*api.Diagnostic{
			{Severity: severity, Code: string(p.Code), Message: p.What, Line: 1, Column: 1},
		}})
	}
	return list
}

// unreadable says whether the config, or the folder, is there and cannot be read.
func unreadable(m *scan.Model) bool {
	return m.ConfigErr != nil || slices.ContainsFunc(m.Problems, func(p scan.Problem) bool {
		return p.Path == m.Dir && p.Code == scan.Unreadable
	})
}
