package upload

import (
	"errors"
	"io"
	"os"

	"conch/engine/filelock"
)

// hold keeps other workbenches on the same repository from clearing a folder, until the result is closed or the process ends. A disk
// without locks is no error: nothing is cleared there, since nothing can be claimed.
func hold(dir string) (io.Closer, error) {
	f, err := lock(dir)
	if f == nil {
		return nil, err
	}
	return f, nil
}

// claim is hold for those who clear. It fails where it cannot be told whether a workbench still fills the folder.
func claim(dir string) (io.Closer, error) {
	f, err := lock(dir)
	if f == nil {
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// lock opens a folder and tries to lock it. The file is nil where the folder cannot be opened, or where somebody else has the lock.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	locked, err := filelock.Try(f)
	if locked {
		return nil, errors.Join(err, f.Close())
	}
	return f, err
}
