package files

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

func renameNew(from, to string) error {
	old, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(old, name, 0); err != nil {
		if errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) {
			err = syscall.EXDEV // which callers ask for on every system
		}
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
