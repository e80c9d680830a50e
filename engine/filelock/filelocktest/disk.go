// Package filelocktest gives tests the disks of networks: those without locks, and those whose locks other machines do not see.
package filelocktest

import (
	"os"
	"testing"

	"conch/engine/filelock/internal/system"
)

// Fails has every lock fail until the test ends, as on a disk without locks.
func Fails(t *testing.T, why error) {
	s := system.Now()
	s.Try = func(f *os.File) (bool, error) { return false, &os.PathError{Op: "lock", Path: f.Name(), Err: why} }
	put(t, s)
}

// Elsewhere has this process be on another machine, whose locks are its own, until the test ends or the function is called.
func Elsewhere(t *testing.T) (back func()) {
	return put(t, system.System{Try: func(*os.File) (bool, error) { return false, nil }, Machine: "elsewhere"})
}

func put(t *testing.T, s system.System) (back func()) {
	before := system.Now()
	back = func() { system.Instead.Store(&before) }
	system.Instead.Store(&s)
	t.Cleanup(back)
	return back
}

// Lock locks a file as another process would.
func Lock(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := system.Now().Try(f); err != nil {
		t.Fatal(err)
	}
	return f
}
