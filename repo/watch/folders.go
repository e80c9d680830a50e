package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"

	"conch/repo/layout"
)

// folders keeps every folder below the roots watched. A folder that links
// lead to may have several names here, but the system reports one of them
// only; names gives them all.
type folders struct {
	ctx context.Context
	// roots and narrow are those of a walker.
	roots   []string
	narrow  map[string]bool
	watcher system
	// ids tells which folder a path stands for.
	ids map[string]layout.Identity
	// paths are the names of a folder; the first is the watched one.
	paths map[layout.Identity][]string
	// children are the watched folders in a folder, by path.
	children map[string]map[string]bool
	// links are links to files and folders, with what was seen behind them, by
	// the folder that they are in and their path.
	links map[string]map[string]target
	// files are what was seen of plain files last. A write through a mapping of
	// a file sends no event before the file is closed.
	files map[string]look
	// promoted are folders that are watched under another name than before.
	promoted []string
	// err is why folders can no longer be watched.
	err error
}

// system is the part of fsnotify.Watcher that is used here.
type system interface {
	Add(path string) error
	Remove(path string) error
}

var _ system = (*fsnotify.Watcher)(nil)

// target is what is behind a link.
type target struct {
	look look
	id   layout.Identity
}

func newFolders(ctx context.Context, w system, roots ...string) *folders {
	return &folders{
		ctx:      ctx,
		roots:    roots,
		narrow:   map[string]bool{},
		watcher:  w,
		ids:      map[string]layout.Identity{},
		paths:    map[layout.Identity][]string{},
		children: map[string]map[string]bool{},
		links:    map[string]map[string]target{},
		files:    map[string]look{},
	}
}

// watched reports whether a path is a folder that is being watched.
func (f *folders) watched(path string) bool {
	_, ok := f.ids[path]
	return ok
}

// enter watches what is new at a path and below, tells it to visit (which may
// be nil), and reports whether the path is a folder.
func (f *folders) enter(path string, visit func(found)) bool {
	dir := false
	w := newWalker(f.ctx)
	w.roots, w.narrow = f.roots, f.narrow
	if !slices.Contains(f.roots, path) { // a root is looked at whole, whatever is known of it
		w.elsewhere = f.elsewhere
	}
	w.walk(path, func(it found) bool {
		if it.path == path {
			dir = it.info.IsDir()
		}
		return f.visit(it, visit)
	})
	return dir
}

// visit decides whether a walk goes on below. Plain files are told always:
// whether they are new or were known before, they may be half written.
func (f *folders) visit(it found, visit func(found)) bool {
	if it.link {
		f.link(it.path, behindLink(it.path))
	}
	if it.closed {
		return false
	}
	dir := it.info.IsDir()
	if !dir {
		f.files[it.path] = lookOf(it.info)
	}
	if dir && layout.NoiseDir(filepath.Base(it.path)) && !f.root(it.path) {
		return false
	}
	known := f.watched(it.path)
	if dir && !known {
		f.add(it.path, it.info)
	}
	if visit != nil && !known {
		visit(it)
	}
	return dir && f.err == nil
}

// link notes what is behind a link.
func (f *folders) link(path string, behind target) {
	dir := filepath.Dir(path)
	if f.links[dir] == nil {
		f.links[dir] = map[string]target{}
	}
	f.links[dir][path] = behind
}

// root: the roots are the folders whose parent is not watched. A repository
// may lie in a folder of any name.
func (f *folders) root(path string) bool { return !f.watched(filepath.Dir(path)) }

// add watches one folder. It is watched before it is read, so that nothing
// made in between is missed.
func (f *folders) add(path string, info fs.FileInfo) {
	id := layout.IdentityOf(path, info)
	if len(f.paths[id]) == 0 {
		if err := f.watcher.Add(path); err != nil {
			f.fail(path, err)
			return
		}
	}
	f.ids[path] = id
	if !slices.Contains(f.paths[id], path) {
		f.paths[id] = append(f.paths[id], path)
	}
	parent := filepath.Dir(path)
	if f.children[parent] == nil {
		f.children[parent] = map[string]bool{}
	}
	f.children[parent][path] = true
}

// fail sorts out errors: a folder that is gone or may not be read is no
// reason to stop; the scan reports it.
func (f *folders) fail(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return
	}
	f.err = fmt.Errorf("watching %s: %w", path, err)
}

// leave forgets a path and everything below.
func (f *folders) leave(path string) {
	delete(f.links[filepath.Dir(path)], path)
	delete(f.files, path)
	delete(f.narrow, path)
	for child := range f.children[path] {
		f.leave(child)
	}
	delete(f.children, path)
	id, ok := f.ids[path]
	if !ok {
		return
	}
	delete(f.links, path)
	delete(f.ids, path)
	delete(f.children[filepath.Dir(path)], path)
	f.unname(id, path)
}

// missed looks at all that is watched after events were lost. A path may stand
// for another folder now, or for none; and with a folder its watch went, also
// where the system gave its number to the folder that came in its place.
func (f *folders) missed() {
	for path, id := range f.ids {
		if info, err := os.Stat(path); err != nil || !info.IsDir() || layout.IdentityOf(path, info) != id {
			f.leave(path)
		}
	}
	for _, names := range f.paths {
		if err := f.watcher.Add(names[0]); err != nil {
			f.fail(names[0], err)
		}
	}
}

// unname takes one name from a folder. If it was the watched one, another
// name takes its place.
func (f *folders) unname(id layout.Identity, path string) {
	names := f.paths[id]
	first := len(names) > 0 && names[0] == path
	names = slices.DeleteFunc(names, func(name string) bool { return name == path })
	if len(names) == 0 {
		delete(f.paths, id)
	} else {
		f.paths[id] = names
	}
	if !first {
		return
	}
	// The folder may be gone, and its watch with it; that is not an error.
	_ = f.watcher.Remove(path)
	if len(names) > 0 {
		if err := f.watcher.Add(names[0]); err != nil {
			f.fail(names[0], err)
		}
		f.promoted = append(f.promoted, names[0])
	}
}

// renamed enters folders again that have lost the name under which they were
// entered: what lies in them has lost it as well.
func (f *folders) renamed() {
	for len(f.promoted) > 0 {
		path := f.promoted[0]
		f.promoted = f.promoted[1:]
		f.enter(path, nil)
	}
}

// model is the direct entry of a root that a path lies in or is.
func (f *folders) model(path string) string {
	root := rootOf(f.roots, path)
	rel, err := filepath.Rel(root, path)
	if root == "" || err != nil {
		return path
	}
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return filepath.Join(root, first)
}

// elsewhere reports whether a model's folder has been entered under another of
// its names.
func (f *folders) elsewhere(path string, info fs.FileInfo) bool {
	model := f.model(path)
	for _, name := range f.paths[layout.IdentityOf(path, info)] {
		if f.model(name) == model {
			return name != path
		}
	}
	return false
}

// names returns a path in every model for what the system reported. A model may
// have it under many more, but is looked at as a whole.
func (f *folders) names(reported string) []string {
	dir, base := filepath.Split(reported)
	id, ok := f.ids[filepath.Clean(dir)]
	if !ok {
		return []string{reported}
	}
	names := make([]string, 0, len(f.paths[id]))
	told := map[string]bool{}
	for _, path := range f.paths[id] {
		name := filepath.Join(path, base)
		if model := f.model(name); !told[model] {
			told[model] = true
			names = append(names, name)
		}
	}
	return names
}

// replaced reports whether a root came, went, or is another folder than the one
// that is being watched.
func (f *folders) replaced(root string) bool {
	info, err := os.Stat(root)
	if err != nil || !info.IsDir() {
		return f.watched(root)
	}
	id, ok := f.ids[root]
	return !ok || id != layout.IdentityOf(root, info)
}

// moved lists the links behind which something changed, of as many as may be
// looked at in one go.
func (f *folders) moved() []string {
	var paths []string
	looks := 0
	for _, links := range f.links {
		for path, was := range links {
			if looks++; looks > mostLooks || f.ctx.Err() != nil {
				return paths
			}
			if now := behindLink(path); now != was {
				links[path] = now
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// mostLooks bounds the files, and the links, that are looked at in one go. A map gives them in
// another order each time, so that each has its turn.
const mostLooks = 1000

// written lists files that are not what was seen last. Those that are gone
// send an event, and are forgotten here.
func (f *folders) written() []string {
	var paths []string
	looks := 0
	for path, was := range f.files {
		if looks++; looks > mostLooks || f.ctx.Err() != nil {
			break
		}
		if f.differs(path, was) {
			paths = append(paths, path)
		}
	}
	return paths
}

// changed reports whether a known file is not what was seen last.
func (f *folders) changed(path string) bool {
	was, known := f.files[path]
	return known && f.differs(path, was)
}

// differs looks at a file, and notes what it is now.
func (f *folders) differs(path string, was look) bool {
	now := lookAt(path)
	if !now.exists || now.dir {
		delete(f.files, path)
		return false
	}
	f.files[path] = now
	return now != was
}

// saw notes what a file is after an event about it.
func (f *folders) saw(path string) {
	if _, known := f.files[path]; known {
		f.files[path] = lookAt(path)
	}
}

func behindLink(path string) target {
	info, err := os.Stat(path)
	if err != nil {
		return target{}
	}
	return target{look: lookAt(path), id: layout.IdentityOf(path, info)}
}
