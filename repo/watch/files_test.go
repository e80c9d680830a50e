package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"conch/repo/layout"
)

// watchFiles watches files until the end of the test.
func watchFiles(t *testing.T, timing *Timing, dir string, files ...string) (w *Files, up chan Change) {
	t.Helper()
	w, up = NewFiles(Options{Timing: timing}), make(chan Change)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, up) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	w.Watch(below(dir, files))
	await(t, up, dir, files...) // those that are new are told
	return w, up
}

func below(dir string, files []string) []string {
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = filepath.Join(dir, file)
	}
	return paths
}

// TestFiles: whatever happens to a file is told, and nothing of the files beside it and in the folders below.
func TestFiles(t *testing.T) {
	never := quick()
	never.Interval = time.Hour // without looks: the system tells
	for name, timing := range map[string]*Timing{"told": never, "looked at": quick()} {
		for what, do := range map[string]func(t *testing.T, dir string){
			"write": func(t *testing.T, dir string) { put(t, dir, ".git/common/text.py", "changed") },
			"atomic save": func(t *testing.T, dir string) {
				put(t, dir, ".git/common/text.tmp", "changed")
				check(t, os.Rename(filepath.Join(dir, ".git/common/text.tmp"), filepath.Join(dir, ".git/common/text.py")))
			},
			"delete": func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, ".git/common/text.py"))) },
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				dir := t.TempDir()
				put(t, dir, ".git/common/text.py", "x")
				put(t, dir, ".git/common/other.py", "x")
				_, up := watchFiles(t, timing, dir, ".git/common/text.py", "missing.py")
				put(t, dir, ".git/common/other.py", "changed")
				put(t, dir, ".git/common/below/text.py", "changed")
				do(t, dir)
				seen := await(t, up, dir, ".git/common/text.py")
				put(t, dir, "missing.py", "x")
				seen = append(seen, await(t, up, dir, "missing.py")...)
				if slices.ContainsFunc(seen, func(p string) bool { return strings.Contains(p, "other") || strings.Contains(p, "below") }) {
					t.Errorf("told: %v", seen)
				}
			})
		}
	}
}

// TestFilesElsewhere: a file behind a link, and one whose folder was replaced, are looked at.
func TestFilesElsewhere(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "common/text.py", "x")
	put(t, dir, "elsewhere/linked.py", "x")
	check(t, os.Symlink(filepath.Join(dir, "elsewhere/linked.py"), filepath.Join(dir, "common/linked.py")))
	_, up := watchFiles(t, quick(), dir, "common/text.py", "common/linked.py")
	put(t, dir, "elsewhere/linked.py", "changed")
	await(t, up, dir, "common/linked.py")
	put(t, dir, "next/text.py", "changed")
	check(t, os.Rename(filepath.Join(dir, "common"), filepath.Join(dir, "before")))
	check(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "common")))
	await(t, up, dir, "common/text.py")
}

// TestFilesAreFewer: a file that is named no longer is told no longer, and its folder has no watch.
func TestFilesAreFewer(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a/text.py", "x")
	put(t, dir, "b/text.py", "x")
	f := NewFiles(Options{Timing: quick()})
	s := &single{files: f, seen: map[string]look{}, folders: map[string]layout.Identity{}}
	defer s.close()
	f.Watch(below(dir, []string{"a/text.py", "b/text.py"}))
	s.follow()
	f.Watch(below(dir, []string{"b/text.py"}))
	s.follow()
	if _, first := s.folders[filepath.Join(dir, "a")]; first || len(s.seen) != 1 || len(s.folders) > 1 {
		t.Errorf("seen: %v, folders: %v", s.seen, s.folders)
	}
	f.Watch(manyFolders(t, dir, mostFolders+1))
	s.follow()
	if len(s.folders) > mostFolders || len(s.seen) != mostFolders+1 {
		t.Errorf("%d folders have a watch, and %d files are looked at", len(s.folders), len(s.seen))
	}
}

// manyFolders makes files in folders of their own.
func manyFolders(t *testing.T, dir string, count int) (paths []string) {
	for i := range count {
		file := fmt.Sprintf("many/%d/text.py", i)
		put(t, dir, file, "x")
		paths = append(paths, filepath.Join(dir, file))
	}
	return paths
}
