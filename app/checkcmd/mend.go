package checkcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"conch/app/visible"
	"conch/configedit/diag"
	mending "conch/configedit/mend"
	"conch/repo/layout"
	"conch/repo/write"
)

// rounds limits how often files are repaired: one repair can make another mistake visible.
const rounds = 8

// mendAll applies the repairs, judges again, and repeats that while it helps.
func mendAll(ctx context.Context, paths []string, opts Options, result *Result) (*Result, error) {
	for range rounds {
		changed := 0
		for _, report := range result.Reports {
			n, err := mend(report, opts)
			if err != nil {
				return nil, err
			}
			changed += n
		}
		if changed == 0 {
			break
		}
		var err error
		if result, err = Judge(ctx, paths, opts); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// mend applies those repairs of one file that can be applied together.
func mend(r Report, opts Options) (int, error) {
	var edits []diag.Edit
	n := 0
	for _, repair := range mending.Choose(r.List, opts.Mend == MendSuggestions) {
		made, err := r.made(repair.Fix)
		switch {
		case err != nil:
			fmt.Fprintf(opts.Errors, "%s: not mended: %s\n", visible.Line(r.Path), visible.Line(err.Error()))
			continue
		case made:
		case r.File == nil || slices.ContainsFunc(repair.Fix.Edits, func(e diag.Edit) bool { return e.File != "" }):
			continue
		default:
			edits = append(edits, repair.Fix.Edits...)
		}
		n++
		fmt.Fprintf(opts.Errors, "%s: %s [%s]\n", visible.Line(r.Path), visible.Line(repair.Fix.Title), repair.Of.Code)
	}
	if len(edits) == 0 {
		return n, nil
	}
	return n, rewrite(r, edits)
}

// made makes the folder, or the file, that a fix asks for, or moves a file or a folder. It is false for a fix that edits what is there.
func (r Report) made(fix diag.Fix) (bool, error) {
	if len(fix.Edits) != 1 {
		return false, nil
	}
	edit := fix.Edits[0]
	folder := strings.HasSuffix(edit.File, "/")
	if !folder && !edit.Makes && edit.From == "" {
		return false, nil
	}
	path, _, ok := r.others(edit.File)
	if !ok {
		return false, nil
	}
	_, rel, _ := strings.Cut(strings.TrimSuffix(edit.File, "/"), "/")
	dir := strings.TrimSuffix(filepath.Clean(path), filepath.FromSlash(rel)) // of the model
	err := write.CheckPath(rel, folder)
	if err == nil {
		path, err = layout.Inside(dir, rel) // a version can be a link to anywhere
	}
	switch {
	case err != nil:
	case folder:
		err = write.NewFolder(path)
	case edit.From != "":
		_, from, _ := strings.Cut(edit.From, "/")
		err = write.Move(filepath.Join(dir, filepath.FromSlash(from)), path)
	default:
		err = write.NewFile(path, []byte(edit.New))
	}
	if err != nil {
		return false, fmt.Errorf("make %s: %w", path, err)
	}
	return true, nil
}

// rewrite saves a file with edits applied.
func rewrite(r Report, edits []diag.Edit) error {
	src := r.File.Text()
	out := mending.Apply(string(src), edits)
	base, version, err := write.Read(r.Path)
	if err == nil && string(base) != string(src) {
		err = errors.New("the file changed while it was judged")
	}
	if err == nil {
		_, err = write.Save(r.Path, []byte(out), version)
	}
	if err != nil {
		return fmt.Errorf("mend %s: %w", r.Path, err)
	}
	return nil
}
