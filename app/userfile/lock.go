package userfile

import (
	"errors"
	"os"
	"time"

	"conch/engine/filelock"
)

// ErrLocked means that another program, or another part of this one, has the lock.
var ErrLocked = errors.New("another program has the file locked")

// again is how often Lock tries a lock that is taken.
const again = 20 * time.Millisecond

// TryLock takes the lock of a file, and makes the file where there is none. The lock is free again
// when the file is closed or the process has ended, normally or not. The file stays: if it were
// removed, two processes could have the lock. When the lock is taken, also by another part of this
// process, the error is ErrLocked.
func TryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, FileMode)
	if err != nil {
		return nil, err // err names the path
	}
	locked, err := filelock.Try(f)
	switch {
	case locked:
		err = ErrLocked
	case err == nil:
		return f, nil
	}
	_ = f.Close()
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}

// Lock is TryLock, but waits up to this time for a lock that is taken.
func Lock(path string, wait time.Duration) (*os.File, error) {
	for end := time.Now().Add(wait); ; time.Sleep(again) {
		f, err := TryLock(path)
		if !errors.Is(err, ErrLocked) || time.Now().After(end) {
			return f, err
		}
	}
}
