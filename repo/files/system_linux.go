package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return errors.ErrUnsupported // by the file system, or by the kernel
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
