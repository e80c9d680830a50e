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
	Library string // the library that optimizes, with its version
	Options string // everything else that changes the result
}

// Snapshot identifies the content of a Source's files at one moment.
type Snapshot struct {
	Key   string
	Bytes int64 // of the model and all files beside it
	// Newest is when the last of the files changed.
	Newest time.Time
}

// maxFiles is the maximum number of files in a model's folder. A folder with more is not only for a model.
const maxFiles = 1000

// Look takes a snapshot. Like git's index, it compares identity, size and times of files, because reading a large
// model would take longer than the time that is saved.
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
		info, err := os.Stat(path) // follows links
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
