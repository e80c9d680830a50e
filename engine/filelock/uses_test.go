package filelock_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"conch/engine/filelock"
	"conch/engine/filelock/filelocktest"
)

func use(t *testing.T, dir string) *filelock.Use {
	t.Helper()
	u, err := filelock.NewUse(dir)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// age has all files of a folder be that old.
func age(t *testing.T, dir string, old time.Duration) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range paths {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-old)); err != nil {
			t.Fatal(err)
		}
	}
}

func isEmpty(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestUses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "uses")
	if filelock.InUse(dir) {
		t.Error("a folder that is not there is used")
	}
	for _, u := range []*filelock.Use{use(t, dir), use(t, dir)} {
		age(t, dir, 2*filelock.Abandoned)
		if !filelock.InUse(dir) {
			t.Error("not used while a process uses it")
		}
		if u.Removed() {
			t.Error("it was removed")
		}
		if err := u.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if filelock.InUse(dir) {
		t.Error("used by nobody")
	}
	isEmpty(t, dir)
}

// On a disk without locks the age of a use tells whether its process runs, which gives signs of life.
func TestUsesWithoutLocks(t *testing.T) {
	for _, why := range []error{syscall.ENOLCK, syscall.ENOSYS, syscall.EOPNOTSUPP} {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			filelocktest.Fails(t, why)
			u := use(t, dir)
			age(t, dir, 0)
			time.Sleep(2 * filelock.Abandoned)
			if !filelock.InUse(dir) {
				t.Errorf("%v: not used while a process uses it", why)
			}
			if err := u.Close(); err != nil {
				t.Fatal(err)
			}
			if filelock.InUse(dir) {
				t.Errorf("%v: used by nobody", why)
			}
		})
		killed(t, dir)
	}
	filelocktest.Fails(t, syscall.EMFILE)
	dir := t.TempDir()
	if u, err := filelock.NewUse(dir); err == nil {
		t.Errorf("a use that nobody sees: %v", u)
	}
	isEmpty(t, dir)
}

// killed has a process be killed that has a use, where no lock tells that.
func killed(t *testing.T, dir string) {
	t.Helper()
	back := filelocktest.Elsewhere(t)
	u := use(t, dir)
	defer func() { _ = u.Close() }()
	back()
	if !filelock.InUse(dir) {
		t.Error("it may live on another machine")
	}
	age(t, dir, filelock.Abandoned)
	if filelock.InUse(dir) || !u.Removed() {
		t.Error("it gave no sign of life for a day")
	}
}

// Where machines do not see each other's locks, one leaves the uses of the others alone.
func TestUsesElsewhere(t *testing.T) { killed(t, t.TempDir()) }
