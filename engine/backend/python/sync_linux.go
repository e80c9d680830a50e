package python

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncBelow has the disk keep all files below a folder. An environment has tens of thousands: all of the disk is quicker than each.
func syncBelow(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}
