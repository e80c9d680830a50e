package write

import "os"

// Faults lets a test break single steps of a save.
type Faults struct {
	Create func(name string) (*os.File, error)
	Write  func(f *os.File, content []byte) error
	Sync   func(f *os.File) error
	Rename func(from, to string) error
}

// SaveWith saves on a system with faults.
func SaveWith(faults Faults, path string, content []byte, base Version) (Version, error) {
	s := disk
	if faults.Create != nil {
		s.create = faults.Create
	}
	if faults.Write != nil {
		s.write = faults.Write
	}
	if faults.Sync != nil {
		s.sync = faults.Sync
	}
	if faults.Rename != nil {
		s.rename = faults.Rename
	}
	return saver{s}.save(path, content, base)
}

// Locks is how many files are locked.
func Locks() int {
	locks.Lock()
	defer locks.Unlock()
	return len(locks.byFile)
}
