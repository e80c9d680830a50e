package scan

import (
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

const (
	// maxDepth ends a walk through links that lead ever deeper.
	maxDepth = 32
	// maxEntries bounds what is listed of one model. A repository opened by
	// mistake on a home folder must not fill the memory.
	maxEntries = 100_000
)

// walker reads one entry of a root. Paths are slash-separated, below fsys.
type walker struct {
	fsys     fs.FS
	root     string
	problems []Problem
	entries  int
}

// tree is everything below one folder; paths are relative to it.
type tree struct {
	files   []File
	folders []string
	sum     fingerprint
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

// list reads a folder and looks at each entry behind its links. Litter is
// left out, except for folders when asked for.
func (w *walker) list(dir string) ([]item, error) {
	entries, err := fs.ReadDir(w.fsys, dir)
	items := make([]item, 0, len(entries))
	for _, e := range entries {
		if layout.NoiseFile(e.Name()) && !e.IsDir() {
			continue
		}
		if it, ok := w.look(dir, e); ok {
			items = append(items, it)
		}
	}
	return items, err
}

// look stats an entry; one that is gone since it was listed is passed over.
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

// tree walks everything below a folder.
func (w *walker) tree(dir string) tree {
	t := tree{sum: newFingerprint()}
	w.descend(&t, dir, "")
	slices.SortFunc(t.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(t.folders)
	return t
}

// descend adds the folder at top/rel to the tree.
func (w *walker) descend(t *tree, top, rel string) {
	dir := path.Join(top, rel)
	items, err := w.list(dir)
	if err != nil {
		t.sum.broken(rel, w.explain(dir, err, 0))
	}
	for _, it := range items {
		if w.full(dir, rel) {
			return
		}
		below := path.Join(rel, it.name)
		switch {
		case it.info == nil:
			t.sum.broken(below, it.code)
		case !it.folder():
			t.sum.file(below, it.info)
			t.files = append(t.files, File{Path: below, Size: it.info.Size(), ModTime: it.info.ModTime()})
		case !layout.NoiseDir(it.name) && !w.loops(it):
			t.sum.folder(below)
			t.folders = append(t.folders, below)
			w.descend(t, top, below)
		}
	}
}

// full counts an entry and says whether the walk has to end here.
func (w *walker) full(dir, rel string) bool {
	w.entries++
	deep := strings.Count(rel, "/") >= maxDepth
	if w.entries == maxEntries+1 || deep && w.entries <= maxEntries {
		w.problem(TooMany, dir, fmt.Sprintf("holds more than can be shown (%d files, %d levels): the rest is not watched; move what is no part of the model elsewhere", maxEntries, maxDepth))
	}
	return deep || w.entries > maxEntries
}

// loops says whether a folder, reached by a link, is one that it lies in.
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
