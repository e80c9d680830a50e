// Package compiled keeps folders for what execution providers compile models to: engines of TensorRT, which may take minutes to
// build. A provider writes and reads its folder itself. A folder belongs to one model file, library and set of options: when one of
// them changes, the next load gets another folder.
package compiled

import (
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"conch/engine/backend/onnx/optimized"
)

// Store is a folder of such folders. It is safe for concurrent use, and is created on disk when it is first needed.
type Store struct {
	dir   string
	limit int64 // bytes
	log   *slog.Logger

	mu sync.Mutex
	// used counts how often this process has handed out a folder, until it is released. A provider may write there while a model is loaded, so such a folder
	// is not removed to make room.
	used map[string]int
}

// New returns a store that removes the folders that were not used for the longest time when it holds more than limit bytes.
func New(dir string, limit int64, log *slog.Logger) *Store {
	return &Store{dir: dir, limit: limit, log: log, used: map[string]int{}}
}

// Folder returns the folder of a source, until Release, and whether it holds something; "" where none can be made.
func (s *Store) Folder(from optimized.Source) (dir string, filled bool) {
	now, err := from.Look()
	if err != nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	dir = filepath.Join(s.dir, now.Key)
	s.used[dir]++
	s.shrink()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.log.Warn("what is compiled for a GPU cannot be kept", "folder", dir, "error", err)
		s.release(dir)
		return "", false
	}
	stamp := time.Now()
	_ = os.Chtimes(dir, stamp, stamp) // if that fails, the folder is only removed earlier
	files, err := os.ReadDir(dir)
	return dir, err == nil && len(files) > 0
}

// Release ends a use of a folder.
func (s *Store) Release(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(dir)
}

// release needs the lock.
func (s *Store) release(dir string) {
	if s.used[dir]--; s.used[dir] <= 0 {
		delete(s.used, dir)
	}
}

// Empty removes what is in a folder: it was of no use.
func (s *Store) Empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

// folder is one of a store.
type folder struct {
	dir   string
	used  time.Time
	bytes int64
}

// shrink removes folders until there is room. It needs the lock.
func (s *Store) shrink() {
	found, err := os.ReadDir(s.dir)
	if err != nil {
		return // there is none yet
	}
	var all []folder
	total := int64(0)
	for _, f := range found {
		one := folder{dir: filepath.Join(s.dir, f.Name())}
		if info, err := f.Info(); err == nil {
			one.used = info.ModTime()
		}
		files, _ := os.ReadDir(one.dir) // what cannot be read counts nothing
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				one.bytes += info.Size()
			}
		}
		total += one.bytes
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b folder) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
	for _, one := range all {
		if total <= s.limit {
			return
		}
		if s.used[one.dir] > 0 {
			continue
		}
		if err := os.RemoveAll(one.dir); err != nil {
			s.log.Warn("a folder of compiled models could not be removed", "folder", one.dir, "error", err)
			continue
		}
		total -= one.bytes
	}
}
