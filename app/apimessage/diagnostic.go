// Package apimessage turns configedit's values into messages of the workbench's API. In particular it
// turns byte offsets into the UTF-16 units that the editor counts in. Its functions are pure.
package apimessage

import (
	"strings"

	"conch/app/api"
	"conch/configedit/diag"
	"conch/configedit/text"
)

// Place is a file that a diagnostic may point into.
type Place struct {
	Model string
	Path  string // relative to the model's folder
	File  *text.File
	// HasErrors reports whether the file has errors.
	HasErrors func() bool
}

// Places returns another file by the name that a diagnostic gives it.
type Places func(name string) (Place, bool)

// haveErrors reports whether another file has errors.
func (p Places) haveErrors(name string) bool {
	at, known := p(name)
	return known && at.HasErrors()
}

// Diagnostics converts the diagnostics of one file, without those of programs, which InPrograms returns. Related places
// in files that places does not know are left out.
func Diagnostics(own Place, list []diag.Diagnostic, places Places) []*api.Diagnostic {
	out := make([]*api.Diagnostic, 0, len(list))
	for _, d := range list {
		if d.Program.File != "" {
			continue
		}
		m := message(d)
		line, column := own.File.Position(d.Span.Start)
		m.Line, m.Column = uint32(line), uint32(column)
		m.From, m.To = Range(own.File, d.Span)
		m.Related, m.Fixes = related(own, d.Related, places), fixes(own, d.Fixes)
		m.Follows = d.FollowsFrom(places.haveErrors)
		out = append(out, m)
	}
	return out
}

// InPrograms converts the diagnostics that are about lines of a model's programs.
func InPrograms(model string, list []diag.Diagnostic) []*api.FileProblems {
	var out []*api.FileProblems
	for _, d := range list {
		if d.Program.File == "" {
			continue
		}
		m := message(d)
		m.Line, m.Column = uint32(d.Program.Line), 1
		out = append(out, &api.FileProblems{Model: model, Path: d.Program.File, Diagnostics: []*api.Diagnostic{m}})
	}
	return out
}

// Placeless converts a diagnostic that is about no text.
func Placeless(d diag.Diagnostic) *api.Diagnostic { return message(d) }

func message(d diag.Diagnostic) *api.Diagnostic {
	return &api.Diagnostic{Severity: severity(d.Severity), Code: d.Code, Message: Sentence(d.Message), Triton: d.Triton, First: d.First, Unlisted: uint32(d.Unlisted)}
}

// Range converts a span.
func Range(f *text.File, s diag.Span) (from, to uint32) {
	return uint32(f.UTF16(s.Start)), uint32(f.UTF16(max(s.Start, s.End)))
}

func severity(s diag.Severity) api.Diagnostic_Severity {
	switch {
	case s.IsError():
		return api.Diagnostic_SEVERITY_ERROR
	case s.IsWarning():
		return api.Diagnostic_SEVERITY_WARNING
	}
	return api.Diagnostic_SEVERITY_ADVICE
}

func related(own Place, list []diag.Related, places Places) []*api.Related {
	var out []*api.Related
	for _, r := range list {
		at := own
		if r.File != "" && r.File != own.File.Name() {
			var known bool
			if at, known = places(r.File); !known {
				continue
			}
		}
		line, _ := at.File.Position(r.Span.Start)
		from, to := Range(at.File, r.Span)
		out = append(out, &api.Related{
			Model: at.Model, Path: at.Path, From: from, To: to, Line: uint32(line), Message: Sentence(r.Message),
		})
	}
	return out
}

// fixes converts four kinds of fixes: those that edit only the file itself, which the editor applies to
// its text, and those that make a folder or a file of the file's model, or move one.
func fixes(own Place, list []diag.Fix) []*api.Fix {
	var out []*api.Fix
	for _, fix := range list {
		if folder, ok := folder(own, fix); ok {
			out = append(out, &api.Fix{Title: Sentence(fix.Title), Folder: folder, Safe: fix.Confidence.IsSafe()})
			continue
		}
		if file, ok := moved(own, fix); ok {
			out = append(out, &api.Fix{Title: Sentence(fix.Title), Moved: file, Safe: fix.Confidence.IsSafe()})
			continue
		}
		if file, ok := newFile(own, fix); ok {
			out = append(out, &api.Fix{Title: Sentence(fix.Title), File: file, Safe: fix.Confidence.IsSafe()})
			continue
		}
		if edits, ok := edits(own.File, fix.Edits); ok {
			out = append(out, &api.Fix{Title: Sentence(fix.Title), Edits: edits, Safe: fix.Confidence.IsSafe(), Unfinished: fix.Unfinished})
		}
	}
	return out
}

// folder returns the folder that a fix makes: its only edit names one of the model, "digits/1/".
func folder(own Place, fix diag.Fix) (string, bool) {
	if len(fix.Edits) != 1 {
		return "", false
	}
	path, isFolder := strings.CutSuffix(fix.Edits[0].File, "/")
	rel, inside := strings.CutPrefix(path, own.Model+"/")
	return rel, isFolder && inside
}

// newFile returns the file that a fix makes: its only edit names one of the model, "digits/1/model.py".
func newFile(own Place, fix diag.Fix) (*api.NewFile, bool) {
	if len(fix.Edits) != 1 || !fix.Edits[0].Makes {
		return nil, false
	}
	rel, inside := strings.CutPrefix(fix.Edits[0].File, own.Model+"/")
	return &api.NewFile{Path: rel, Text: fix.Edits[0].New}, inside
}

// moved returns the file that a fix moves: its only edit names one of the model, and where it comes from.
func moved(own Place, fix diag.Fix) (*api.MovedFile, bool) {
	if len(fix.Edits) != 1 || fix.Edits[0].From == "" {
		return nil, false
	}
	to, inside := strings.CutPrefix(fix.Edits[0].File, own.Model+"/")
	from, insideToo := strings.CutPrefix(fix.Edits[0].From, own.Model+"/")
	return &api.MovedFile{Path: from, To: to}, inside && insideToo
}

func edits(f *text.File, list []diag.Edit) (out []*api.TextEdit, own bool) {
	for _, e := range list {
		if e.File != "" && e.File != f.Name() {
			return nil, false
		}
		from, to := Range(f, e.Span)
		out = append(out, &api.TextEdit{From: from, To: to, Insert: e.New})
	}
	return out, len(out) > 0
}
