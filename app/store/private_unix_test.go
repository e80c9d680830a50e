//go:build unix

package store_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"conch/app/store"
)

// TestNobodyElseReadsTheHistory: whatever the umask is and whatever was there before, the data folder
// is 0700 and each file in it is 0600, journals too.
func TestNobodyElseReadsTheHistory(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o027, 0o077, 0o777} {
		for _, before := range []string{"no folder", "an open folder", "open files"} {
			t.Run(fmt.Sprintf("%03o %s", umask, before), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "data")
				prepare(t, dir, before)
				keep(t, dir, umask)
			})
		}
	}
}

// prepare makes what an older version leaves.
func prepare(t *testing.T, dir, what string) {
	t.Helper()
	if what == "no folder" {
		return
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if what == "an open folder" {
		return
	}
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"conch.db", "conch.db.lock", "conch.db.damaged-1"} {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Chmod(0o666); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

// keep writes something under a umask, and checks all files that are there then.
func keep(t *testing.T, dir string, umask int) {
	t.Helper()
	defer syscall.Umask(syscall.Umask(umask)) // the umask of the whole process: no test here runs in parallel
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		private(t, dir)
	}()
	if err := s.SetSettings(t.Context(), map[string]string{"key": "value"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"conch.db", "conch.db-wal", "conch.db-shm", "conch.db.lock"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	private(t, dir)
}

// private checks the mode of each file in a data folder.
func private(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s is %o, want %o", path, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSharedFolderStaysShared: a data folder that is meant for many, or is reached by a link, keeps
// its mode.
func TestSharedFolderStaysShared(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o777 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "conch.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
