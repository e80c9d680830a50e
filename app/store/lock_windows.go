package store

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// lockFile waits for the lock that one process at a time holds while it opens, migrates or moves the database.
// The system lets go of it when the process dies. It waits for so long at most; 0 for as long as it takes.
func lockFile(path string, wait time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if wait > 0 {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	for until := time.Now().Add(wait); ; time.Sleep(lockEvery) {
		err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
		if !errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			break
		}
		if time.Now().After(until) {
			err = ErrHeld
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
