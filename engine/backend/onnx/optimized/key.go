package optimized

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/cpu"
)

// Source is what an optimized model is made from.
type Source struct {
	File    string // the model; external data may lie beside it
	Library string // what optimizes, with its version
	Options string // everything that changes what comes out
}

// Snapshot is a Source with its files as they are on disk at one moment.
type Snapshot struct {
	Key   string
	Bytes int64 // of the model and all that lies beside it
	// Newest is when the last of the files changed.
	Newest time.Time
}

// maxFiles bounds what is looked at beside a model; a folder of more is no model's.
const maxFiles = 1000

// Look takes the snapshot. Files are told apart by identity, size and times, as git's index does: reading all
// of a large model would take longer than what is gained.
func (s Source) Look() (Snapshot, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%q %q %q %+v %+v\n", s.File, s.Library, s.Options, cpu.X86, cpu.ARM64)
	found, count := Snapshot{}, 0
	err := filepath.WalkDir(filepath.Dir(s.File), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if count++; count > maxFiles {
			return fmt.Errorf("more than %d files lie beside %s", maxFiles, s.File)
		}
		info, err := os.Stat(path) // of what a link leads to
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%q %d %d %s\n", path, info.Size(), info.ModTime().UnixNano(), identity(info))
		found.Bytes += info.Size()
		for _, t := range []time.Time{info.ModTime(), changed(info)} {
			if t.After(found.Newest) {
				found.Newest = t
			}
		}
		return nil
	})
	found.Key = hex.EncodeToString(hash.Sum(nil)[:16])
	return found, err
}
