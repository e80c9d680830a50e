package filelock

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"conch/engine/filelock/internal/system"
)

// touches is the time between two signs of life, where no lock tells that the process runs. Many of them are less than a day.
const touches = time.Hour

// Use is a file that says that this process uses what a folder belongs to, until the use is closed, or the process ends.
type Use struct {
	file *os.File
	end  chan struct{}
	done sync.WaitGroup
}

// NewUse makes a use, in a folder with those of all processes.
func NewUse(dir string) (*Use, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, system.Now().Machine+"-")
	if err != nil {
		return nil, err
	}
	if _, err := Try(f); err != nil && !Absent(err) {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, err
	}
	u := &Use{file: f, end: make(chan struct{})}
	u.done.Go(u.live)
	return u, nil
}

// live gives signs of life. The lock does so for processes that see it, and they are not all.
func (u *Use) live() {
	every := time.NewTicker(touches)
	defer every.Stop()
	for {
		select {
		case now := <-every.C:
			_ = os.Chtimes(u.file.Name(), now, now) // where it was removed, nothing is used any more
		case <-u.end:
			return
		}
	}
}

// Removed reports whether somebody has removed the file, with what is used.
func (u *Use) Removed() bool {
	_, err := os.Stat(u.file.Name())
	return err != nil
}

// Close ends the use.
func (u *Use) Close() error {
	close(u.end)
	u.done.Wait()
	err := u.file.Close()
	_ = os.Remove(u.file.Name()) // it may have been removed with what was used
	return err
}

// InUse reports whether a process has a use in a folder, and removes the files of those that have ended.
func InUse(dir string) bool {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if lives(path) {
			return true
		}
		_ = os.Remove(path)
	}
	return false
}

// lives reports whether the process that made a use runs.
func lives(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return !os.IsNotExist(err) && !LeftBehind(path)
	}
	defer func() { _ = f.Close() }()
	taken, err := Try(f)
	isHere := strings.HasPrefix(filepath.Base(path), system.Now().Machine+"-")
	return taken || (err != nil || !isHere) && !LeftBehind(path)
}
