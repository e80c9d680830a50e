//go:build unix

package scan_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"conch/repo/layout"
	"conch/repo/scan"
)

// chain makes folders in dir, each with links to the next: links^folders paths.
func chain(t testing.TB, dir string, folders, links int) {
	t.Helper()
	for i := range folders {
		check(t, os.MkdirAll(filepath.Join(dir, fmt.Sprint("d", i)), 0o755))
		for j := range links {
			if i+1 < folders {
				check(t, os.Symlink(fmt.Sprint("../d", i+1), filepath.Join(dir, fmt.Sprint("d", i), fmt.Sprint("l", j))))
			}
		}
	}
	check(t, os.WriteFile(filepath.Join(dir, fmt.Sprint("d", folders-1), "weights.bin"), []byte("x"), 0o644))
}

// TestManyPathsToFewFolders: nine folders of eighty links each are 10^15 paths, and nine folders. What lies at any of
// those paths is still known.
func TestManyPathsToFewFolders(t *testing.T) {
	top := t.TempDir()
	check(t, os.MkdirAll(filepath.Join(top, "m", "1"), 0o755))
	check(t, os.WriteFile(filepath.Join(top, "m", "1", "model.onnx"), nil, 0o644))
	chain(t, filepath.Join(top, "m", "1"), 9, 80)
	m := scan.New(top).Scan(nil).Model("m")
	v, _ := m.Version(1)
	if len(v.Files) != 2 || len(v.Folders) > 9+8*80 || len(m.Problems) != 0 || len(m.Unlisted) != 0 {
		t.Fatalf("%d files, %d folders, problems %v", len(v.Files), len(v.Folders), m.Problems)
	}
	deep := "d0/l79/l0/l41/l7/l7/l7/l7/l1/weights.bin"
	if _, ok := v.File(deep); !ok || !v.Has(deep) || !v.Has("d0/l1/l2") || v.Has("d0/l1/weights.bin") || v.Has(deep+"x") {
		t.Error("what lies behind links is not found at its paths")
	}
}

// TestLinksToOneStore: models, and versions of one, that are links to the same folder are each whole.
func TestLinksToOneStore(t *testing.T) {
	top, store := t.TempDir(), t.TempDir()
	check(t, os.MkdirAll(filepath.Join(store, "model", "1", "assets"), 0o755))
	check(t, os.WriteFile(filepath.Join(store, "model", "1", "assets", "vocab.txt"), nil, 0o644))
	check(t, os.Symlink("assets", filepath.Join(store, "model", "1", "again")))
	for _, name := range []string{"a", "b", "c"} {
		check(t, os.Symlink(filepath.Join(store, "model"), filepath.Join(top, name)))
	}
	check(t, os.Mkdir(filepath.Join(top, "versions"), 0o755))
	for _, version := range []string{"1", "2"} {
		check(t, os.Symlink(filepath.Join(store, "model", "1"), filepath.Join(top, "versions", version)))
	}
	x := scan.New(top).Scan(nil)
	for _, name := range []string{"a", "b", "c", "versions"} {
		m := x.Model(name)
		if m == nil || len(m.Versions) == 0 || len(m.Problems) > 0 {
			t.Fatalf("%s = %+v", name, m)
		}
		for _, v := range m.Versions {
			if !v.Has("assets/vocab.txt") || !v.Has("again/vocab.txt") {
				t.Errorf("version %d of %s lacks what is in the store", v.Number, name)
			}
		}
	}
	if n := len(x.Model("versions").Versions); n != 2 {
		t.Errorf("%d versions", n)
	}
}

// endless is a folder whose folders never end, of which nobody can tell that they are the same.
type endless struct{ fstest.MapFS }

func (e endless) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "." || name == "m" {
		return e.MapFS.ReadDir(name)
	}
	list := fstest.MapFS{"file": {}}
	for i := range 40 {
		list[fmt.Sprint("d", i)] = &fstest.MapFile{Mode: fs.ModeDir}
	}
	return list.ReadDir(".")
}

// TestBound: a tree without end is listed as far as the bound, and what was left out is told.
func TestBound(t *testing.T) {
	s := scan.New("/r")
	s.FS = func(string) fs.FS {
		return endless{fstest.MapFS{"m/1": {Mode: fs.ModeDir}, "m/2": {Mode: fs.ModeDir}}}
	}
	x := s.Scan(nil)
	m := x.Model("m")
	n := 0
	for _, v := range m.Versions {
		n += len(v.Files) + len(v.Folders)
		if !v.Has("file") || !v.Has("d39") {
			t.Errorf("the first level of version %d is not whole", v.Number)
		}
	}
	if n > layout.MaxEntries+100 || len(m.Versions) != 2 {
		t.Errorf("%d entries of %d versions were listed", n, len(m.Versions))
	}
	if len(m.Problems) != 2 || m.Problems[0].Code != scan.TooMany || !strings.Contains(m.Problems[0].What, "not listed, not judged and not watched") {
		t.Errorf("problems = %v", m.Problems)
	}
	if len(m.Unlisted) != 80 || m.Unlisted[0] != "1/d0" {
		t.Errorf("unlisted = %v", m.Unlisted)
	}
	if s.Scan(x) != x {
		t.Error("a second look at the same finds something new")
	}
}

// TestContextEndsScan: a scan ends with its context, in the midst of a tree without end.
func TestContextEndsScan(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := scan.New("/r")
	asked := 0
	s.Workers = 1
	s.FS = func(string) fs.FS {
		return counted{endless{fstest.MapFS{"m/1": {Mode: fs.ModeDir}}}, func() {
			if asked++; asked == 10 {
				cancel()
			}
		}}
	}
	begun := time.Now()
	s.WithContext(ctx).Scan(nil)
	if asked > 12 {
		t.Errorf("%d folders were read, in %s", asked, time.Since(begun))
	}
}

type counted struct {
	endless
	count func()
}

func (c counted) ReadDir(name string) ([]fs.DirEntry, error) {
	c.count()
	return c.endless.ReadDir(name)
}
