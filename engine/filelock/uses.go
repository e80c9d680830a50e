package filelock

import (
	"os"
	"path/filepath"
)

// Use makes a locked file in a folder, which says that this process uses what the folder belongs to. The use ends when the file is
// closed, and with the process.
func Use(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "")
	if err != nil {
		return nil, err
	}
	if _, err := Try(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// InUse reports whether a process has a locked file in a folder, and removes the files of those that have ended.
func InUse(dir string) bool {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		taken, err := Try(f)
		if err == nil {
			_ = os.Remove(path)
		}
		_ = f.Close()
		if taken {
			return true
		}
	}
	return false
}
