//go:build !linux

package python

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// syncBelow has the disk keep all files below a folder.
func syncBelow(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
