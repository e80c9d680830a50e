package watch

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"conch/configedit/folder"
	"conch/repo/layout"
)

// found is something that a walk found, behind its links.
type found struct {
	path string
	info fs.FileInfo
	// link: path itself is a symbolic link.
	link bool
	// closed: it is a folder that is neither entered nor watched.
	closed bool
}

// walker visits folders, within the bounds of a scan: what is not listed need
// not be watched.
type walker struct {
	ctx    context.Context
	budget *layout.Budget
	// roots tell how deep a path lies; a walk begins at one where there are none.
	roots []string
	// narrow are links to folders that hold too much, by path. Of such a folder
	// that is a model or a version, what lies right in it is looked at.
	narrow map[string]bool
	// elsewhere says of a folder whether the same model has it under another
	// path already; nil knows of none.
	elsewhere func(path string, info fs.FileInfo) bool
}

func newWalker(ctx context.Context) *walker {
	return &walker{ctx: ctx, budget: &layout.Budget{}, narrow: map[string]bool{}}
}

// walk visits a folder and everything in it that is not noise, folders before
// their content, and the content of each before what lies deeper. It does not
// enter a folder for which visit answers false. In one model, which is a
// direct entry of a root, a folder that several links lead to is entered once.
func (w *walker) walk(dir string, visit func(found) bool) {
	info, err := os.Lstat(dir)
	if err != nil {
		return
	}
	top := w.begin(dir, info)
	if top.depth > 0 {
		w.below(top, visit)
		return
	}
	if !visit(top.found) || !top.info.IsDir() {
		return
	}
	for _, child := range list(top.found) {
		w.below(&branch{found: child, above: top, depth: 1}, visit)
	}
}

// begin makes a branch of where a walk begins, with the folders up to its root.
func (w *walker) begin(path string, info fs.FileInfo) *branch {
	b := &branch{found: behind(path, info)}
	root := rootOf(w.roots, path)
	if root == "" || root == path {
		return b
	}
	if above, err := os.Stat(filepath.Dir(path)); err == nil {
		b.above = w.begin(filepath.Dir(path), above)
		b.depth = b.above.depth + 1
	}
	return b
}

// rootOf is the root that a path lies in or is; empty where there is none.
func rootOf(roots []string, path string) string {
	for _, root := range roots {
		if layout.Below(root, path) {
			return root
		}
	}
	return ""
}

// branch is something on a walk, with the folders that it lies in.
type branch struct {
	found
	above *branch
	depth int
}

// versionDepth is how deep a version folder lies.
const versionDepth = 2

// close decides whether a folder is left out because a link to too much leads
// to it, as a scan does.
func (w *walker) close(b *branch, linked *layout.Linked) {
	if w.narrow[filepath.Dir(b.path)] {
		name := filepath.Base(b.path)
		b.closed = b.depth > versionDepth || folder.HasNonDigit(name) && !folder.Reserved(name)
	}
	delete(w.narrow, b.path)
	if !b.link || b.closed || linked.Fits(w.ctx, b.path, os.ReadDir) {
		return
	}
	b.closed = b.depth > versionDepth
	w.narrow[b.path] = !b.closed
}

// below visits a model, or something in one, and all that it holds.
func (w *walker) below(entry *branch, visit func(found) bool) {
	seen := map[layout.Identity]bool{}
	entries, linked := 0, &layout.Linked{}
	for next := []*branch{entry}; len(next) > 0; next = next[1:] {
		b := next[0]
		if b.link && b.within() {
			continue
		}
		walked := !b.info.IsDir() || seen[layout.IdentityOf(b.path, b.info)] || w.elsewhere != nil && w.elsewhere(b.path, b.info)
		if !walked {
			w.close(b, linked)
		}
		if !visit(b.found) || walked || b.closed {
			continue
		}
		seen[layout.IdentityOf(b.path, b.info)] = true
		if b.depth > layout.MaxDepth || entries > layout.MaxEntries || !w.budget.Left() || w.ctx.Err() != nil {
			continue
		}
		for _, child := range list(b.found) {
			w.budget.Take()
			entries++
			next = append(next, &branch{found: child, above: b, depth: b.depth + 1})
		}
	}
}

// list is what lies in a folder. One that may not be read has nothing to
// watch; the scan reports it.
func list(dir found) []found {
	entries, _ := os.ReadDir(dir.path)
	out := make([]found, 0, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !noise(e) {
			out = append(out, behind(filepath.Join(dir.path, e.Name()), info))
		}
	}
	return out
}

// behind follows a link; of a dangling one the link itself is found.
func behind(path string, info fs.FileInfo) found {
	f := found{path: path, info: info, link: info.Mode()&fs.ModeSymlink != 0}
	if !f.link {
		return f
	}
	if target, err := os.Stat(path); err == nil {
		f.info = target
	}
	return f
}

func noise(e fs.DirEntry) bool {
	if e.IsDir() {
		return layout.NoiseDir(e.Name())
	}
	return layout.NoiseFile(e.Name()) || layout.VimProbe(e.Name())
}

// within reports whether a link leads to a folder that it lies in.
func (b *branch) within() bool {
	for above := b.above; above != nil; above = above.above {
		if os.SameFile(above.info, b.info) {
			return true
		}
	}
	return false
}
