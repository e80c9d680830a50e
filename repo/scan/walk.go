package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"conch/repo/layout"
)

// walker reads one entry of a root. Paths are slash-separated, below fsys.
type walker struct {
	ctx      context.Context
	fsys     fs.FS
	root     string
	problems []Problem
	// entries are those of this model that were looked at, and budget counts
	// those of all models.
	entries int
	budget  *layout.Budget
	// linked counts what lies behind links to folders.
	linked layout.Linked
}

// tree is everything below one folder; paths are relative to it.
type tree struct {
	files   []File
	folders []string
	sum     fingerprint
	// repeats are links to folders that are listed under another path.
	repeats repeats
	// deep are folders below the last level.
	deep []string
	// large are links to folders that hold too much to be looked at.
	large []string
	// unlisted are the folders of the first level in which something was left
	// out.
	unlisted []string
}

// item is a folder entry after links were followed.
type item struct {
	name string
	path string
	info fs.FileInfo
	link bool
	// code is why info is nil, if it is.
	code ProblemCode
}

func (i item) folder() bool { return i.info != nil && i.info.IsDir() }

// list reads a folder and looks at each entry behind its links. Noise is
// left out, except for folders when asked for.
func (w *walker) list(dir string) ([]item, error) {
	entries, err := fs.ReadDir(w.fsys, dir)
	items := make([]item, 0, len(entries))
	for _, e := range entries {
		if w.ctx.Err() != nil {
			break
		}
		if layout.NoiseFile(e.Name()) && !e.IsDir() {
			continue
		}
		if it, ok := w.look(dir, e); ok {
			items = append(items, it)
		}
	}
	return items, err
}

// look stats an entry; one that is gone since it was listed is skipped.
func (w *walker) look(dir string, e fs.DirEntry) (item, bool) {
	it := item{name: e.Name(), path: path.Join(dir, e.Name()), link: e.Type()&fs.ModeSymlink != 0}
	var err error
	if it.link {
		it.info, err = fs.Stat(w.fsys, it.path)
	} else {
		it.info, err = e.Info()
	}
	if err == nil {
		return it, it.info.IsDir() || !layout.VimProbe(it.name)
	}
	it.info = nil
	if errors.Is(err, fs.ErrNotExist) && !it.link {
		return it, false
	}
	it.code = w.explain(it.path, err, e.Type())
	return it, true
}

// explain records why something cannot be looked at.
func (w *walker) explain(p string, err error, mode fs.FileMode) ProblemCode {
	if mode&fs.ModeSymlink != 0 && errors.Is(err, fs.ErrNotExist) {
		w.problem(DanglingLink, p, "is a symbolic link to something that does not exist: restore the target or delete the link")
		return DanglingLink
	}
	w.problem(Unreadable, p, "cannot be read: "+reason(err))
	return Unreadable
}

// reason leaves out the path that a PathError repeats.
func reason(err error) string {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied; change its permissions, or run as a user who may read it"
	}
	return err.Error()
}

// abs turns a path below fsys into one that a person can use.
func (w *walker) abs(p string) string { return filepath.Join(w.root, filepath.FromSlash(p)) }

func (w *walker) problem(code ProblemCode, p, what string) {
	full := w.abs(p)
	w.problems = append(w.problems, Problem{Code: code, Path: full, What: fmt.Sprintf("%s %s", full, what)})
}

// tree walks everything below a folder, level by level: where a bound ends
// the walk, what lies deepest is left out. A folder that several links lead to
// is walked once. Where the folder itself is a link to too much, its first
// level is all that is listed.
func (w *walker) tree(top item) tree {
	dir, t := top.path, tree{sum: newFingerprint()}
	seen := map[layout.Identity]string{}
	if info, err := fs.Stat(w.fsys, dir); err == nil {
		seen[layout.IdentityOf(dir, info)] = ""
	}
	over := w.tooLarge(top)
	next := w.level(&t, seen, dir, "")
	first := t.sum.String()
	for len(next) > 0 && !over && !w.over() {
		rel := next[0]
		next = append(next[1:], w.level(&t, seen, dir, rel)...)
	}
	if len(next) > 0 {
		// How far a walk came depends on what else is read at the moment. What
		// is new is told by the first level alone, so that it never is by that.
		t.sum = newFingerprint()
		t.sum.add(first)
	}
	w.leaveOut(dir, &t, append(next, t.deep...), over)
	slices.SortFunc(t.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(t.folders)
	return t
}

// leaveOut notes and tells what is not listed.
func (w *walker) leaveOut(dir string, t *tree, deep []string, linked bool) {
	for _, rel := range slices.Concat(deep, t.large) {
		top, _, _ := strings.Cut(rel, "/")
		t.unlisted = append(t.unlisted, top)
	}
	slices.Sort(t.unlisted)
	t.unlisted = slices.Compact(t.unlisted)
	for _, rel := range t.large {
		w.problem(TooMany, path.Join(dir, rel), behindLinks)
	}
	switch {
	case len(deep) > 0 && linked:
		w.problem(TooMany, dir, behindLinks)
	case len(deep) > 0:
		w.problem(TooMany, dir, fmt.Sprintf("holds more than is looked at (%d files and folders of a model, %d of a repository, %d levels): "+
			"what lies deeper is not listed, not checked and not watched; move files that do not belong to the model elsewhere",
			layout.MaxEntries, layout.MaxAll, layout.MaxDepth))
	}
}

// behindLinks says why nothing is listed below a link.
var behindLinks = fmt.Sprintf("is a link to a folder that holds more than is looked at behind the links of a model (%d files and folders): "+
	"what lies deeper is not listed, not checked and not watched; link to the part that the model needs", layout.MaxLinked)

// tooLarge reports whether an item is a link to a folder that holds too much.
func (w *walker) tooLarge(it item) bool {
	return it.link && !w.linked.Fits(w.ctx, it.path, func(dir string) ([]fs.DirEntry, error) { return fs.ReadDir(w.fsys, dir) })
}

// over reports whether the walk has to end. The first level of a tree is always
// listed: without it nothing true could be said about the model.
func (w *walker) over() bool {
	return w.ctx.Err() != nil || w.entries > layout.MaxEntries || !w.budget.Left()
}

// level adds what lies in the folder at top/rel to the tree, and gives the
// folders to walk next.
func (w *walker) level(t *tree, seen map[layout.Identity]string, top, rel string) (next []string) {
	dir := path.Join(top, rel)
	items, err := w.list(dir)
	if err != nil {
		t.sum.broken(rel, w.explain(dir, err, 0))
	}
	for _, it := range items {
		w.entries++
		w.budget.Take()
		below := path.Join(rel, it.name)
		switch {
		case it.info == nil:
			t.sum.broken(below, it.code)
		case !it.folder():
			t.sum.file(below, it.info)
			t.files = append(t.files, fileOf(below, it))
		case !layout.NoiseDir(it.name) && !w.loops(it):
			t.sum.folder(below)
			t.folders = append(t.folders, below)
			if w.again(t, seen, below, it) {
				continue
			}
			if w.tooLarge(it) {
				t.large = append(t.large, below)
				delete(seen, layout.IdentityOf(it.path, it.info)) // where it lies without a link it is listed
				continue
			}
			if strings.Count(below, "/") >= layout.MaxDepth {
				t.deep = append(t.deep, below)
				continue
			}
			next = append(next, below)
		}
	}
	return next
}

// again reports whether a folder is in the tree already, under another path.
func (w *walker) again(t *tree, seen map[layout.Identity]string, rel string, it item) bool {
	id := layout.IdentityOf(it.path, it.info)
	first, known := seen[id]
	if !known {
		seen[id] = rel
		return false
	}
	t.repeats = append(t.repeats, repeat{rel, first})
	return true
}

// loops reports whether a folder, reached by a link, is one that it lies in.
func (w *walker) loops(it item) bool {
	if !it.link {
		return false
	}
	for dir := path.Dir(it.path); ; dir = path.Dir(dir) {
		info, err := fs.Stat(w.fsys, dir)
		if err == nil && os.SameFile(info, it.info) {
			w.problem(LinkLoop, it.path, "is a link to a folder that it lies in: delete the link")
			return true
		}
		if dir == "." {
			return false
		}
	}
}
