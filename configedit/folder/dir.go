package folder

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is a folder on disk as a file system. Unlike os.DirFS it takes names that are not UTF-8, also as Name has written
// them, and it opens nothing that is neither a file nor a folder. Links are followed, and so is "..", as in Triton: the user who
// takes a path from a config asks Outside first.
type Dir string

var (
	_ fs.StatFS    = Dir("")
	_ fs.ReadDirFS = Dir("")
)

// Open implements fs.FS.
func (d Dir) Open(name string) (fs.File, error) {
	return Open(d.Path(name))
}

// Stat implements fs.StatFS.
func (d Dir) Stat(name string) (fs.FileInfo, error) {
	return os.Stat(d.Path(name))
}

// ReadDir implements fs.ReadDirFS.
func (d Dir) ReadDir(name string) ([]fs.DirEntry, error) {
	return os.ReadDir(d.Path(name))
}

// Path returns the path of a file in the folder.
func (d Dir) Path(rel string) string {
	path := filepath.Join(string(d), filepath.FromSlash(rel))
	if raw := Raw(rel); raw != rel {
		if _, err := os.Lstat(path); err != nil {
			return filepath.Join(string(d), filepath.FromSlash(raw))
		}
	}
	return path
}
