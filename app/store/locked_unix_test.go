//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"conch/app/store"
)

// TestLockOfAFrozenProgram: a program that is frozen while it opens the history does not block others.
func TestLockOfAFrozenProgram(t *testing.T) {
	dir := t.TempDir()
	lock, err := os.Create(filepath.Join(dir, store.FileName+".lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	opened := make(chan *store.Store)
	go func() { opened <- open(t, store.Options{Dir: dir}) }()
	select {
	case s := <-opened:
		set(t, s, "a")
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for the lock")
	}
}
