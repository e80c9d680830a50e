//go:build unix

package system

import (
	"os"

	"golang.org/x/sys/unix"
)

// flock is filelock.Try.
func flock(f *os.File) (locked bool, err error) {
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err != unix.EINTR {
			return err == unix.EWOULDBLOCK, err
		}
	}
}
