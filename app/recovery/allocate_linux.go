package recovery

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate reserves space for a file, all of it or none. A file system that cannot reserve space
// reports the lack when the file is written.
func allocate(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}
