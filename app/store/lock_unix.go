//go:build unix

package store

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile waits for the lock that one process at a time holds while it opens, migrates or moves the database.
// The kernel lets go of it when the process dies. It waits for so long at most; 0 for as long as it takes.
func lockFile(path string, wait time.Duration) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	how := unix.LOCK_EX
	if wait > 0 {
		how |= unix.LOCK_NB
	}
	for until := time.Now().Add(wait); ; {
		err = unix.Flock(int(f.Fd()), how)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EWOULDBLOCK && time.Now().Before(until):
			time.Sleep(lockEvery)
			continue
		case err == unix.EWOULDBLOCK:
			err = ErrHeld
		}
		break
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
