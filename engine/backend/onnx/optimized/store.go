package optimized

import (
	"cmp"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"conch/configedit/backends"
)

// ModelName is the file of an entry that ONNX Runtime writes and reads.
var ModelName = backends.ONNX.File

// WeightsName is the file of an entry with the weights.
const WeightsName = "weights.bin"

const (
	// draftPrefix begins the names of folders that are being written.
	draftPrefix = "draft-"
	// draftLife is the age at which a draft counts as abandoned.
	draftLife = time.Hour
	// spare is how many bytes stay free on the disk.
	spare = 1 << 30
	// minAge is how long a file must be unchanged. The clock of a file system has steps of some milliseconds, and within
	// one step a file can change twice.
	minAge = 20 * time.Millisecond
)

// Options set where a store is and how much it may hold.
type Options struct {
	Dir   string
	Limit int64 // bytes
	Log   *slog.Logger
	// Free returns the free bytes on the disk of a folder; nil asks the system.
	Free func(dir string) (int64, error)
}

// Store is a folder of entries. It is safe for concurrent use, and is created on disk when it is first needed.
type Store struct {
	o     Options
	tidy  sync.Once
	tasks sync.WaitGroup // drafts that are being kept

	mu sync.Mutex
	// refused are keys of models that cannot be kept; they are not tried again.
	refused map[string]bool
}

// New returns a store.
func New(o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Free == nil {
		o.Free = freeBytes
	}
	return &Store{o: o, refused: map[string]bool{}}
}

// Find returns the path of the model that was kept under a key; "" when there is none, or when it is damaged.
func (s *Store) Find(key string) string {
	dir := filepath.Join(s.o.Dir, key)
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	if err := verify(dir); err != nil {
		s.o.Log.Warn("a kept optimized model is broken and was removed", "folder", dir, "error", err)
		s.Remove(key)
		return ""
	}
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // if that fails, the entry is only removed earlier
	return filepath.Join(dir, ModelName)
}

// Remove removes an entry. A process that has mapped its weights keeps them.
func (s *Store) Remove(key string) {
	if err := os.RemoveAll(filepath.Join(s.o.Dir, key)); err != nil {
		s.o.Log.Warn("a kept optimized model could not be removed", "key", key, "error", err)
	}
}

// Refuse records that a model cannot be kept.
func (s *Store) Refuse(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[key] = true
}

func (s *Store) isRefused(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[key]
}

// Close waits for drafts that are being kept.
func (s *Store) Close() { s.tasks.Wait() }

// entry is a folder of the store.
type entry struct {
	dir   string
	used  time.Time
	bytes int64
}

// entries returns the entries. It also removes abandoned drafts.
func (s *Store) entries() []entry {
	found, err := os.ReadDir(s.o.Dir)
	if err != nil {
		return nil
	}
	var all []entry
	for _, f := range found {
		info, err := f.Info()
		if err != nil {
			continue // another process removed it
		}
		dir := filepath.Join(s.o.Dir, f.Name())
		switch {
		case !strings.HasPrefix(f.Name(), draftPrefix):
			all = append(all, entry{dir: dir, used: info.ModTime(), bytes: size(dir)})
		case time.Since(info.ModTime()) > draftLife:
			_ = os.RemoveAll(dir) // it is tried again next time
		}
	}
	return all
}

func size(dir string) int64 {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0
	}
	total := int64(0)
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			total += info.Size()
		}
	}
	return total
}

// shrink removes the entries that were not used for the longest time, until there is room for so many bytes.
func (s *Store) shrink(room int64) {
	all := s.entries()
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.used.UnixNano(), b.used.UnixNano()) })
	total := room
	for _, e := range all {
		total += e.bytes
	}
	for _, e := range all {
		if total <= s.o.Limit {
			return
		}
		s.Remove(filepath.Base(e.dir))
		total -= e.bytes
	}
}

// Dir is the store's folder.
func (s *Store) Dir() string { return s.o.Dir }

// Limit is how many bytes it may hold.
func (s *Store) Limit() int64 { return s.o.Limit }
