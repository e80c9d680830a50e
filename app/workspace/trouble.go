package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"conch/app/api"
	"conch/app/apimessage"
	"conch/app/language"
	"conch/configedit/folder"
	"conch/configedit/rule"
	"conch/repo"
	"conch/repo/scan"
)

// hindrance is why there are no models to show, and a folder to open instead where one is known.
type hindrance struct{ sentence, suggestion string }

// hindered puts the diagnosis of a folder in words.
func hindered(d scan.Diagnosis) hindrance {
	h := hindrance{sentence: d.Sentence, suggestion: d.Suggestion}
	if d.Suggestion != "" {
		h.sentence += " Open " + d.Suggestion + " instead."
	}
	return h
}

// explain says why a folder cannot be opened.
func explain(err error) hindrance {
	var refused *repo.NotARepositoryError
	if errors.As(err, &refused) {
		return hindered(refused.Diagnosis)
	}
	return hindrance{sentence: fmt.Sprintf("The repository could not be opened: %v.", err)}
}

// troubleOf returns what is wrong with the folder as a whole.
func troubleOf(index *scan.Index) hindrance {
	for _, p := range index.Problems {
		if p.Code == scan.RootMissing {
			return hindrance{sentence: p.What + " What was loaded keeps serving."}
		}
	}
	if len(index.Roots) == 0 || slices.ContainsFunc(index.Models, isNamed) {
		return hindrance{}
	}
	d := scan.Diagnose(index.Roots[0].Path)
	if len(index.Models) > 0 && d.Verdict != scan.Inner {
		return hindrance{}
	}
	return hindered(d)
}

// ownProblems are what keeps Triton from reading the repository, or from starting with it, beside what is wrong with models. `conch check`
// reports the same. They have no model, and no line. That a repository is missing is its trouble, which a banner tells.
func ownProblems(index *scan.Index) []*api.FileProblems {
	var list []*api.FileProblems
	for _, f := range language.DiagnoseRepository(index) {
		if f.Code == rule.RootMissing.ID {
			continue
		}
		path := f.Path
		if len(index.Roots) == 1 {
			path, _ = strings.CutPrefix(path, index.Roots[0].Path+"/")
		}
		list = append(list, &api.FileProblems{Path: folder.Name(path), Diagnostics: []*api.Diagnostic{apimessage.Placeless(f.Diagnostic)}})
	}
	return list
}

// isNamed distinguishes a model from the versions of one: when a model's own folder is opened, only
// its versions are found.
func isNamed(m *scan.Model) bool {
	_, kind := folder.ParseVersion(m.Name)
	return kind != folder.PlainVersion
}

// troubles are what a scan could not read of a model, as problems of its files. What concerns the
// folder is reported at the config, which is what people look at.
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

// unreadable reports whether the config, or the folder, exists and cannot be read.
func unreadable(m *scan.Model) bool {
	return m.ConfigErr != nil || slices.ContainsFunc(m.Problems, func(p scan.Problem) bool {
		return p.Path == m.Dir && p.Code == scan.Unreadable
	})
}
