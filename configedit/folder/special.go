package folder

import (
	"errors"
	"io/fs"
)

// Special says why what should be a file is none: a pipe would be waited for, and a device may have no end. It is nil
// for files and for folders, which systems tell of themselves.
func Special(mode fs.FileMode) error {
	switch {
	case mode.IsRegular(), mode.IsDir():
		return nil
	case mode&fs.ModeNamedPipe != 0:
		return errors.New("it is a named pipe, not a file; replace it by a file")
	case mode&fs.ModeSocket != 0:
		return errors.New("it is a socket, not a file; replace it by a file")
	}
	return errors.New("it is a device, not a file; replace it by a file")
}
