//go:build unix

package scan_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	if len(m.Problems) != 2 || m.Problems[0].Code != scan.TooMany || !strings.Contains(m.Problems[0].What, "not listed, not checked and not watched") {
		t.Errorf("problems = %v", m.Problems)
	}
	if len(m.Unlisted) != 80 || m.Unlisted[0] != "1/d0" {
		t.Errorf("unlisted = %v", m.Unlisted)
	}
	if s.Scan(x) != x {
		t.Error("a second look at the same finds something new")
	}
}

// TestContextEndsScan: a scan ends with its context, in the middle of a tree without end.
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

// TestLinkToALargeTree: of a folder that holds too much nothing is listed behind a link, whatever else is read; what lies in
// the model itself is, and a model that is a link is listed as any other.
func TestLinkToALargeTree(t *testing.T) {
	top, large, small := t.TempDir(), t.TempDir(), t.TempDir()
	write := func(path string) {
		t.Helper()
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check(t, os.WriteFile(path, nil, 0o644))
	}
	write(filepath.Join(large, "d0", "x"))
	for i := range layout.MaxLinked {
		check(t, os.Link(filepath.Join(large, "d0", "x"), filepath.Join(large, fmt.Sprint("x", i))))
	}
	write(filepath.Join(large, "1", "model.onnx"))
	write(filepath.Join(large, "1", "assets", "vocab.txt"))
	write(filepath.Join(small, "deep", "vocab.txt"))
	write(filepath.Join(top, "m", "1", "model.onnx"))
	check(t, os.Symlink(large, filepath.Join(top, "m", "1", "large")))
	check(t, os.Symlink(small, filepath.Join(top, "m", "1", "small")))
	check(t, os.Symlink(large, filepath.Join(top, "m", "2")))
	check(t, os.Symlink(large, filepath.Join(top, "linked")))
	s := scan.New(top)
	x := s.Scan(nil)
	m := x.Model("m")
	first, _ := m.Version(1)
	if !first.Has("large") || first.Has("large/1") || !first.Has("small/deep/vocab.txt") {
		t.Errorf("listed: %v", first.Folders)
	}
	if second, _ := m.Version(2); !second.Has("d0") || second.Has("1/model.onnx") {
		t.Error("a version that is a link to too much is not listed to its first level")
	}
	if !slices.Contains(m.Unlisted, "1/large") || slices.Contains(m.Unlisted, "1/small") || !slices.Contains(m.Unlisted, "2/1") {
		t.Errorf("unlisted: %.200v", m.Unlisted)
	}
	if len(m.Problems) != 2 || m.Problems[0].Code != scan.TooMany || !strings.Contains(m.Problems[0].What, filepath.Join("1", "large")+" is a link to a folder that holds more") {
		t.Errorf("problems = %v", m.Problems)
	}
	if v, ok := x.Model("linked").Version(1); !ok || !v.Has("assets/vocab.txt") {
		t.Error("a model behind a link is not listed")
	}
	write(filepath.Join(large, "d0", "new"))
	write(filepath.Join(large, "1", "new"))
	if s.Scan(x).Model("m") != m {
		t.Error("what happens in a folder that is not listed changes the model")
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
