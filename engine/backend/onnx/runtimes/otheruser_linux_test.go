package runtimes_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// A build that may not be read is not this user's to use, and that is told.
func TestBuildOfAnotherUser(t *testing.T) {
	const nobody = 65534
	dir := t.TempDir()
	s := storeIn(dir, probeQuick)
	if _, err := s.Install(t.Context(), quiet(folderOf(t, "library"))); err != nil {
		t.Fatal(err)
	}
	// Another user gets to all of it but the description of the build.
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the test's own folder
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.Chmod(path, 0o777)
		case entry.Name() == "conch.json":
			return os.Chmod(path, 0)
		}
		return os.Chmod(path, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	used := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine, and with it the user that it reads files as
		if os.Geteuid() == 0 {
			_ = syscall.Setfsuid(nobody) // it may read all; fails by nothing that Go tells
		}
		_, _, err := s.Use(t.Context(), "mine")
		used <- err
	}()
	if err := <-used; err == nil || !strings.HasSuffix(err.Error(), "permission denied. See that it is a folder or file of yours, which you may read and write") {
		t.Error(err)
	}
}
