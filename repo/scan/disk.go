package scan

import (
	"io/fs"
	"os"
	"path/filepath"

	"conch/configedit/folder"
)

// disk is a folder of this machine. It is what os.DirFS is, except that names
// need not be UTF-8: os.DirFS refuses those.
type disk string

var (
	_ fs.ReadDirFS  = disk("")
	_ fs.StatFS     = disk("")
	_ fs.ReadLinkFS = disk("")
)

func (d disk) at(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

// Open implements fs.FS. A pipe or device is refused, and never waited for.
func (d disk) Open(name string) (fs.File, error) { return folder.Open(d.at(name)) }

// ReadDir implements fs.ReadDirFS.
func (d disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(d.at(name)) }

// Stat implements fs.StatFS.
func (d disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(d.at(name)) }

// Lstat implements fs.ReadLinkFS.
func (d disk) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(d.at(name)) }

// ReadLink implements fs.ReadLinkFS.
func (d disk) ReadLink(name string) (string, error) { return os.Readlink(d.at(name)) }
