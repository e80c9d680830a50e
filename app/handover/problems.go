package handover

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"conch/app/checkcmd"
	"conch/configedit/backends"
	"conch/configedit/release"
)

// Problem is something that would not run where the files are applied.
type Problem struct {
	// Model is the model that it is about; "" for the whole repository.
	Model string
	// Path is the file or folder that it is about.
	Path string
	// Rule is the rule of `conch check` that is broken, or "".
	Rule string
	// Text says what would not run, why, and what to do.
	Text string
}

// problems lists what would not run there. It is never nil.
func (p *plan) problems(ctx context.Context) ([]Problem, error) {
	list := []Problem{}
	refused, err := p.refused(ctx)
	if err != nil {
		return nil, err
	}
	list = append(list, refused...)
	list = append(list, p.withoutBackend()...)
	for _, m := range p.models {
		list = append(list, p.environment(m)...)
		if p.movesFiles() {
			list = append(list, p.outsideFiles(m)...)
		}
	}
	if p.movesFiles() || p.opts.Pack != "" {
		links, err := p.links(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, links...)
	}
	if base, same := p.sameFolders(); same && (p.movesFiles() || p.opts.Pack != "") {
		list = append(list, Problem{Path: base, Text: fmt.Sprintf("two of the repositories have the folder name %q, and the server sees them by these names; rename one of them", base)})
	}
	if p.opts.Target == KServe && len(p.index.Roots) > 1 {
		list = append(list, Problem{Text: fmt.Sprintf("an InferenceService has one storage, and these are %d repositories; export each of them alone, or join them", len(p.index.Roots))})
	}
	slices.SortStableFunc(list, func(a, b Problem) int { return cmp.Compare(a.Model, b.Model) })
	return list, nil
}

// movesFiles reports whether the server sees the repository by another path than this machine, or a copy of it.
func (p *plan) movesFiles() bool { return p.opts.Target != TritonServer || !p.storage.local() }

// refused are the errors of `conch check` for this release.
func (p *plan) refused(ctx context.Context) ([]Problem, error) {
	paths := make([]string, len(p.index.Roots))
	for i, root := range p.index.Roots {
		paths[i] = root.Path
	}
	result, err := checkcmd.Judge(ctx, paths, checkcmd.Options{Flags: p.opts.Flags})
	if err != nil {
		return nil, err
	}
	var list []Problem
	for _, report := range result.Reports {
		for _, d := range report.List {
			if d.Severity.IsError() {
				list = append(list, Problem{Model: p.modelOf(report.Path), Path: report.Path, Rule: d.Code, Text: d.Message})
			}
		}
	}
	return list, nil
}

// modelOf returns the model that a path lies in, by the path that `conch check` shows.
func (p *plan) modelOf(path string) string {
	abs, err := filepath.Abs(filepath.FromSlash(path))
	if err != nil {
		return ""
	}
	for _, m := range p.index.Models {
		if abs == m.Dir || strings.HasPrefix(abs, m.Dir+string(filepath.Separator)) {
			return m.Name
		}
	}
	return ""
}

// withoutBackend lists the backends that the image does not bring.
func (p *plan) withoutBackend() []Problem {
	names, first := p.backendsUsed()
	var list []Problem
	for _, name := range p.missing(p.image, names) {
		text := fmt.Sprintf("the image %s does not bring the backend %q", p.imageName(), name)
		where := "no image of Triton has it"
		var others []string
		for _, image := range backends.Images() {
			if len(p.missing(image, []string{name})) == 0 {
				others = append(others, string(image))
			}
		}
		switch {
		case p.removed(name):
			where = "Triton has no such backend from " + release.Without(name) + " on; choose an older release"
		case len(others) > 0:
			where = strings.Join(others, " and ") + " has it, but no image brings the backends of all models; export the models as two repositories"
		default:
			where += "; build an image with it in /opt/tritonserver/backends/" + name + ", and write that image into the files"
		}
		list = append(list, Problem{Model: first[name].Scan.Name, Path: first[name].Scan.Dir, Text: text + ": " + where})
	}
	return list
}
