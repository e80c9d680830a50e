//go:build unix

package filelock

import (
	"os"

	"golang.org/x/sys/unix"
)

// Try takes the lock of an open file, which lasts until the file is closed. locked is true when somebody else has it; another
// part of this process is somebody else, too.
func Try(f *os.File) (locked bool, err error) {
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			return err == unix.EWOULDBLOCK, err
		}
	}
}
