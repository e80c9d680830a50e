package checkcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"conch/app/visible"
	"conch/configedit/diag"
	mending "conch/configedit/mend"
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
		dir, folder := r.folderToMake(repair.Fix)
		switch {
		case folder:
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return 0, fmt.Errorf("make the folder %s: %w", dir, err)
			}
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

// folderToMake returns the folder that a fix makes.
func (r Report) folderToMake(fix diag.Fix) (string, bool) {
	if len(fix.Edits) != 1 || !strings.HasSuffix(fix.Edits[0].File, "/") {
		return "", false
	}
	path, _, ok := r.others(fix.Edits[0].File)
	return path, ok
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
