package checkcmd

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"conch/app/language"
	"conch/configedit/check"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/configedit/text"
	"conch/repo/scan"
)

// Result is what was found in some repositories.
type Result struct {
	// Models is how many models were judged.
	Models int
	// Reports are the files with findings, by model.
	Reports []Report
}

// Report is about one file, or about a folder where File is nil.
type Report struct {
	// Path is where the file is, as it is shown.
	Path string
	File *text.File
	List []diag.Diagnostic
	// omitted is how many findings of each code are left out of a shortened List.
	omitted map[string]int
	// unlisted are those of them that the check did not list.
	unlisted bool
	// others returns the files that related places and edits name.
	others func(name string) (path string, file *text.File, ok bool)
}

// Count returns the number of diagnostics of a severity, also of those that are not listed. One mistake counts once: an error that only
// follows from another error that was found does not count.
func (r *Result) Count(s diag.Severity) int {
	refused := map[string]bool{}
	for _, report := range r.Reports {
		refused[report.Path] = refused[report.Path] || diag.HasErrors(report.List)
	}
	n := 0
	for _, report := range r.Reports {
		for _, d := range report.List {
			isRefused := func(file string) bool {
				path, _, ok := report.find(file)
				return ok && refused[path]
			}
			if d.Severity == s && !d.FollowsFrom(isRefused) {
				n += 1 + d.Unlisted
			}
		}
	}
	return n
}

// Refused returns the number of files and folders that Triton would refuse.
func (r *Result) Refused() int {
	n := 0
	for _, report := range r.Reports {
		if diag.HasErrors(report.List) {
			n++
		}
	}
	return n
}

// Unsure returns the number of files and folders that some servers would refuse, by what they have, and others would take.
func (r *Result) Unsure() int {
	n := 0
	for _, report := range r.Reports {
		if !diag.HasErrors(report.List) && slices.ContainsFunc(report.List, func(d diag.Diagnostic) bool { return d.Perhaps }) {
			n++
		}
	}
	return n
}

// Untold reports whether only a run of a model's program can tell if Triton would take all.
func (r *Result) Untold() bool {
	return slices.ContainsFunc(r.Reports, func(report Report) bool {
		return slices.ContainsFunc(report.List, func(d diag.Diagnostic) bool {
			return d.Code == rule.PY4.ID || d.Code == rule.PY1.ID && !d.Severity.IsError()
		})
	})
}

// ExitCode returns 0 where Triton would accept everything, and 1 where it would not.
func ExitCode(r *Result) int {
	if r.Refused() > 0 {
		return 1
	}
	return 0
}

// judge judges models one after the other.
type judge struct {
	flags    language.Flags
	analysis *language.Analysis
	// only are the models to judge, by root; see targets.
	only   map[string][]string
	advice Advising
	// shown returns a path in the form in which it is written.
	shown  func(string) string
	result *Result
}

// repositories judges everything in an index.
func (j *judge) repositories(ctx context.Context, index *scan.Index) error {
	j.analysis = language.As(index, j.flags)
	for _, f := range language.DiagnoseRepository(index) {
		if !f.Stray || wanted(j.only, filepath.Dir(f.Path), f.Path) {
			j.folder(f.Path, f.Diagnostic)
			if f.Stray {
				j.result.Models++ // Triton takes it for one, and counts it among those that it refuses
			}
		}
	}
	for _, m := range index.Models {
		if err := ctx.Err(); err != nil {
			return err
		}
		if wanted(j.only, m.Root, m.Dir) {
			j.model(index, m)
		}
	}
	return nil
}

func (j *judge) add(r Report) {
	if len(r.List) == 0 {
		return
	}
	r.others = j.other
	j.result.Reports = append(j.result.Reports, r)
}

func (j *judge) folder(path string, list ...diag.Diagnostic) {
	j.add(Report{Path: j.shown(path), List: list})
}

// other returns the config, or the folder, that a diagnostic names as another file.
func (j *judge) other(name string) (string, *text.File, bool) {
	if j.analysis == nil {
		return "", nil, false
	}
	m, ok := j.analysis.ModelOfFile(name)
	if !ok {
		return "", nil, false
	}
	switch _, rest, _ := strings.Cut(name, "/"); {
	case strings.HasSuffix(rest, "/"):
		return j.shown(filepath.Join(m.Scan.Dir, rest)) + "/", nil, true
	case name != check.File(m.Scan.Name):
		return j.shown(filepath.Join(m.Scan.Dir, rest)), nil, true
	}
	return j.shown(j.configPath(m.Scan)), m.Decoded().File, true
}

// configPath returns the file that a model's config is read from, or would be.
func (j *judge) configPath(m *scan.Model) string {
	if path, _ := j.flags.Config(m); path != "" {
		return path
	}
	return filepath.Join(m.Dir, language.ConfigName)
}

// told removes advice unless it is asked for. It always keeps the remark that a config is a template,
// which is an error where Triton refuses the file as it is.
func (j *judge) told(list []diag.Diagnostic) []diag.Diagnostic {
	for i := range list {
		if d := &list[i]; d.Code == modelconfig.CodeTemplate && d.Triton != "" {
			d.Severity = diag.Error
		}
	}
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool {
		return d.Severity.IsAdvice() && d.Code != modelconfig.CodeTemplate && !bool(j.advice)
	})
}

func (j *judge) model(index *scan.Index, m *scan.Model) {
	j.result.Models++
	for _, p := range m.Problems {
		j.folder(p.Path, language.FolderProblem(p))
		if p.Path == m.Dir && p.Code == scan.Unreadable {
			return // the content of such a folder is unknown
		}
	}
	j.variants(m)
	first, _ := j.analysis.Model(m.Name)
	if first == nil || first.Scan != m {
		j.folder(m.Dir, diag.Diagnostic{
			Code: rule.DUPLICATE.ID, Message: "another repository has a model of this name, " + j.shown(index.Model(m.Name).Dir) + "; Triton loads neither",
			Triton: rule.DUPLICATE.Sentence(m.Name), First: true,
		})
		return
	}
	if m.ConfigErr != nil {
		return // the problems report it
	}
	report := Report{Path: j.shown(j.configPath(m)), List: j.told(j.all(first))}
	if first.HasConfig() {
		report.File = first.Decoded().File
	} else {
		report.Path = j.shown(m.Dir)
	}
	j.add(report)
}

// all lists the findings about a model.
func (j *judge) all(m *language.Model) []diag.Diagnostic {
	list := j.analysis.Diagnose(m)
	if bool(j.advice) {
		list = append(list, j.analysis.Advise(m)...)
		diag.Sort(list)
	}
	return list
}
