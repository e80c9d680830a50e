package conversion

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"conch/engine/filelock"
)

// folder is where a conversion works. It is locked as long as this process keeps it.
type folder struct {
	dir  string
	lock *os.File
}

const folderPattern = "conversion-*"

// newFolder makes a folder below one of Conch's own, and removes those that killed processes left there.
func newFolder(below string) (folder, error) {
	if err := os.MkdirAll(below, 0o700); err != nil {
		return folder{}, fmt.Errorf("make a folder for the conversion: %w", err)
	}
	clearLeft(below)
	dir, err := os.MkdirTemp(below, folderPattern)
	if err != nil {
		return folder{}, fmt.Errorf("make a folder for the conversion: %w", err)
	}
	f := folder{dir: dir}
	if f.lock, err = claim(dir); err != nil {
		return f, errors.Join(err, f.remove())
	}
	return f, nil
}

// remove removes the folder with all that is in it.
func (f folder) remove() error {
	if f.lock != nil {
		_ = f.lock.Close()
	}
	return os.RemoveAll(f.dir)
}

func clearLeft(below string) {
	left, _ := filepath.Glob(filepath.Join(below, folderPattern))
	for _, dir := range left {
		if lock, err := claim(dir); err == nil {
			_ = lock.Close()
			_ = os.RemoveAll(dir)
		}
	}
}

// claim locks a folder until the file is closed.
func claim(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if _, err := filelock.Try(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
