package tracing

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"conch/engine/filelock"
)

// lockSuffix ends the name of the lock of a server that writes numbered files.
const lockSuffix = ".lock"

// own takes the lock that the numbered files of one server have in common, and completes those that a
// server left when it was killed. Without the lock another server writes them, and they stay as they
// are. f.mu is held.
func (f *file) own() {
	if f.lock != nil {
		return
	}
	lock, err := lockOf(f.path + lockSuffix)
	if err != nil || lock == nil {
		return // nothing may be completed
	}
	f.lock = lock
	for _, path := range f.leftovers() {
		if err := complete(path); err != nil {
			f.complain(err)
		}
	}
}

// disown frees the lock. f.mu is held.
func (f *file) disown() {
	if f.lock != nil {
		_ = os.Remove(f.lock.Name())
		_ = f.lock.Close()
		f.lock = nil
	}
}

// lockOf takes a lock, and makes its file where there is none. It returns nil when another process has
// it.
func lockOf(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, err
	}
	taken, err := filelock.Try(lock)
	if err == nil && !taken && isAt(lock, path) {
		return lock, nil
	}
	_ = lock.Close()
	return nil, err
}

// isAt reports whether a path still leads to an open file. A server that ends removes its lock, and
// then the next one makes a new file.
func isAt(open *os.File, path string) bool {
	mine, err := open.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}

// leftovers lists the numbered files that are not complete.
func (f *file) leftovers() []string {
	dir, base := filepath.Split(f.path)
	entries, _ := os.ReadDir(filepath.Clean(dir)) // "." where dir is ""
	var list []string
	for _, entry := range entries {
		number, isPart := strings.CutSuffix(entry.Name(), unfinished)
		number, isOurs := strings.CutPrefix(number, base+".")
		if _, err := strconv.ParseUint(number, 10, 31); isPart && isOurs && err == nil {
			list = append(list, filepath.Join(dir, entry.Name()))
		}
	}
	return list
}

// complete gives a numbered file its name. A trace that was written in part is cut off; without any
// trace the file is removed.
func complete(path string) error {
	open, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	end := wholeItems(open)
	if end == 0 {
		return errors.Join(open.Close(), os.Remove(path))
	}
	err = open.Truncate(end)
	if err == nil {
		_, err = open.WriteAt([]byte("]"), end)
	}
	err = errors.Join(err, open.Close())
	if err != nil {
		return err
	}
	return os.Rename(path, strings.TrimSuffix(path, unfinished))
}

// wholeItems returns where the last whole item of a JSON array ends; 0 when there is none.
func wholeItems(text io.Reader) (end int64) {
	in := json.NewDecoder(text)
	if _, err := in.Token(); err != nil {
		return 0
	}
	for in.More() {
		var item json.RawMessage
		if in.Decode(&item) != nil {
			return end
		}
		end = in.InputOffset()
	}
	return end
}
