package repo

import (
	"maps"
	"os"
	"slices"
	"sync"

	"conch/repo/scan"
	"conch/repo/watch"
)

// MostOutside is how many files outside of the repositories are watched.
const MostOutside = 2000

// outside are files outside of the repositories.
type outside struct {
	watcher *watch.Files

	mu    sync.Mutex // guards paths
	paths []string   // is replaced as a whole
}

// WatchOutside has files that lie elsewhere watched, in place of those before:
// Index.Outside has what was seen of them. Paths are absolute. Of more than
// MostOutside the last ones are left out. It does not wait.
func (r *Repository) WatchOutside(paths []string) {
	paths = slices.Clone(paths[:min(len(paths), MostOutside)])
	r.outside.mu.Lock()
	r.outside.paths = paths
	r.outside.mu.Unlock()
	r.outside.watcher.Watch(paths)
}

// RefreshOutside looks at all files of WatchOutside, and returns the Index.
func (r *Repository) RefreshOutside() *scan.Index {
	return r.update(func(prev *scan.Index) *scan.Index { return r.outside.look(prev, r.outside.wanted()) })
}

func (o *outside) wanted() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.paths
}

// look looks at those of these files that are wanted, and forgets files that
// are not.
func (o *outside) look(prev *scan.Index, paths []string) *scan.Index {
	wanted := map[string]bool{}
	for _, path := range o.wanted() {
		wanted[path] = true
	}
	next := maps.Clone(prev.Outside)
	maps.DeleteFunc(next, func(path string, _ scan.Glance) bool { return !wanted[path] })
	for _, path := range paths {
		if !wanted[path] {
			continue
		}
		if next == nil {
			next = map[string]scan.Glance{}
		}
		next[path] = glanceAt(path)
	}
	if maps.Equal(next, prev.Outside) {
		return prev
	}
	x := *prev
	x.Seq++
	x.Outside = next
	return &x
}

func glanceAt(path string) scan.Glance {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return scan.Glance{}
	}
	return scan.Glance{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
}
