package userfile

import (
	"errors"
	"os"
	"time"

	"conch/engine/filelock"
)

// ErrLocked is why a lock was not taken that somebody else has.
var ErrLocked = errors.New("another program has the file locked")

// again is how often a lock is tried that somebody else has.
const again = 20 * time.Millisecond

// TryLock takes the lock of a file, which it makes where there is none. The
// lock is free again when the file is closed, or the process has ended, however
// it did. The file stays: if it were removed, two processes could have the lock.
// When somebody else has it, the error is ErrLocked; another part of this process
// is somebody else, too.
func TryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, FileMode)
	if err != nil {
		return nil, err // it names the path
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

// Lock is TryLock that waits for so long; 0 for as long as it takes.
func Lock(path string, wait time.Duration) (*os.File, error) {
	for end := time.Now().Add(wait); ; time.Sleep(again) {
		f, err := TryLock(path)
		if !errors.Is(err, ErrLocked) || wait > 0 && time.Now().After(end) {
			return f, err
		}
	}
}
