package watch

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"conch/repo/layout"
)

// found is something a walk came by, behind its links.
type found struct {
	path string
	info fs.FileInfo
	// link: path itself is a symbolic link.
	link bool
}

// walker visits folders, within the bounds of a scan: what is not listed need
// not be watched.
type walker struct {
	ctx    context.Context
	budget *layout.Budget
}

func newWalker(ctx context.Context) *walker { return &walker{ctx: ctx, budget: &layout.Budget{}} }

// walk visits a folder and everything in it that is no litter, folders before
// their content, and the content of each before what lies deeper. It does not
// enter a folder for which visit answers false. In one model, which is a
// direct entry of a root, a folder that several links lead to is entered once.
func (w *walker) walk(dir string, visit func(found) bool) {
	info, err := os.Lstat(dir)
	if err != nil {
		return
	}
	top := behind(dir, info)
	if !visit(top) || !top.info.IsDir() {
		return
	}
	for _, child := range list(top) {
		w.below(&branch{found: child, above: &branch{found: top}, depth: 1}, visit)
	}
}

// branch is something on a walk, with the folders that it lies in.
type branch struct {
	found
	above *branch
	depth int
}

// below visits one entry of the folder in which a walk began.
func (w *walker) below(entry *branch, visit func(found) bool) {
	seen := map[layout.Identity]bool{}
	entries := 0
	for next := []*branch{entry}; len(next) > 0; next = next[1:] {
		b := next[0]
		if b.link && b.within() || !visit(b.found) || !b.info.IsDir() || !enter(seen, b.info) {
			continue
		}
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

// enter says whether a folder is new to the walk of a model.
func enter(seen map[layout.Identity]bool, info fs.FileInfo) bool {
	id, ok := layout.IdentityOf(info)
	if ok && seen[id] {
		return false
	}
	seen[id] = true
	return true
}

// list is what lies in a folder. One that may not be read has nothing to
// watch; the scan reports it.
func list(dir found) []found {
	entries, _ := os.ReadDir(dir.path)
	out := make([]found, 0, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !litter(e) {
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

func litter(e fs.DirEntry) bool {
	if e.IsDir() {
		return layout.NoiseDir(e.Name())
	}
	return layout.NoiseFile(e.Name()) || layout.VimProbe(e.Name())
}

// within says whether a link leads to a folder that it lies in.
func (b *branch) within() bool {
	for above := b.above; above != nil; above = above.above {
		if os.SameFile(above.info, b.info) {
			return true
		}
	}
	return false
}
