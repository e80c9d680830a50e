package checkcmd

import (
	"slices"

	"conch/configedit/diag"
	"conch/configedit/folder"
	"conch/configedit/text"
)

// asText returns the result with file names that are not UTF-8 written as text, since every format is
// text.
func (r *Result) asText() *Result {
	out := *r
	out.Reports = slices.Clone(r.Reports)
	for i := range out.Reports {
		report := &out.Reports[i]
		report.Path = folder.Name(report.Path)
		report.List = slices.Clone(report.List)
		for j := range report.List {
			report.List[j] = diagnosticAsText(report.List[j])
		}
		if others := report.others; others != nil {
			report.others = func(name string) (string, *text.File, bool) {
				path, file, ok := others(name)
				return folder.Name(path), file, ok
			}
		}
	}
	return &out
}

func diagnosticAsText(d diag.Diagnostic) diag.Diagnostic {
	d.Message, d.Triton = folder.Text(d.Message), folder.Text(d.Triton)
	d.Related = slices.Clone(d.Related)
	for i := range d.Related {
		d.Related[i].Message = folder.Text(d.Related[i].Message)
	}
	d.Fixes = slices.Clone(d.Fixes)
	for i := range d.Fixes {
		d.Fixes[i].Title = folder.Text(d.Fixes[i].Title)
	}
	return d
}
