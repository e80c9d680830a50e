package repo_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"conch/repo"
	"conch/repo/scan"
)

// TestOutside: files elsewhere are in the Index while they are wanted, as they are.
func TestOutside(t *testing.T) {
	r := open(t, sample(t), repo.Options{})
	updates, cancel := r.Subscribe()
	defer cancel()
	file := filepath.Join(t.TempDir(), "text.py")
	check(t, os.WriteFile(file, []byte("x"), 0o644))
	size := func(want int64) func(x *scan.Index) bool {
		return func(x *scan.Index) bool {
			g, there := x.Outside[file]
			return there && g.Size == want && (g.ModTime > 0) == (want > 0)
		}
	}
	r.WatchOutside([]string{file})
	await(t, updates, size(1))
	check(t, os.WriteFile(file, []byte("changed"), 0o644))
	await(t, updates, size(7))
	x := r.Touch(filepath.Join(r.Roots()[0], "digits")) // a scan loses nothing of them
	if !size(7)(x) {
		t.Errorf("after a scan: %v", x.Outside)
	}
	check(t, os.Remove(file))
	await(t, updates, size(0))
	r.WatchOutside(nil)
	if x := r.RefreshOutside(); len(x.Outside) != 0 || x.Seq <= 1 {
		t.Errorf("nothing is wanted: %+v", x)
	}
}

// TestOutsideWithoutWatching: they are looked at when somebody asks, and not more than the bound.
func TestOutsideWithoutWatching(t *testing.T) {
	r := open(t, sample(t), repo.Options{Still: true})
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "0.py")}
	for range repo.MostOutside {
		paths = append(paths, filepath.Join(dir, "next.py"))
	}
	paths[repo.MostOutside] = filepath.Join(dir, "too many.py")
	r.WatchOutside(paths)
	first := r.RefreshOutside()
	if _, more := first.Outside[paths[repo.MostOutside]]; more || len(first.Outside) != 2 {
		t.Errorf("looked at: %v", first.Outside)
	}
	if r.RefreshOutside() != first {
		t.Error("a new Index although nothing changed")
	}
	check(t, os.WriteFile(paths[0], []byte("x"), 0o644))
	check(t, os.Chtimes(paths[0], time.Unix(1, 0), time.Unix(1, 0)))
	if x := r.RefreshOutside(); x.Outside[paths[0]] != (scan.Glance{Size: 1, ModTime: 1e9}) || x.Seq != first.Seq+1 {
		t.Errorf("Seq %d: %v", x.Seq, x.Outside)
	}
}
