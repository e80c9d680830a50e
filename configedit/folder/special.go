package folder

import (
	"errors"
	"io/fs"
)

// Special says why an entry is not a file: reading a pipe would wait, and a device may have no end. It returns nil
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
