package userfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"conch/app/userfile"
)

// TestLock: one process at a time has the lock, a process that waits gets it when it is free, and its
// file is for this user only.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := userfile.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := first.Stat(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != userfile.FileMode {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := userfile.TryLock(path); !errors.Is(err, userfile.ErrLocked) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := userfile.Lock(path, time.Millisecond); !errors.Is(err, userfile.ErrLocked) {
		t.Errorf("after a while: %v", err)
	}
	got := make(chan error)
	go func() {
		f, err := userfile.Lock(path, time.Minute)
		if err == nil {
			err = f.Close()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Errorf("two have it: %v", err)
	default:
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}

// TestLockThatCannotBeTaken: an error of the file is returned at once, and is not ErrLocked.
func TestLockThatCannotBeTaken(t *testing.T) {
	if _, err := userfile.Lock(filepath.Join(t.TempDir(), "none", "lock"), time.Minute); err == nil || errors.Is(err, userfile.ErrLocked) {
		t.Errorf("%v", err)
	}
}

func TestMakeDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := userfile.MakeDir(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != userfile.DirMode {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
