package modelfolder

import (
	"io"
	"io/fs"
	"path"

	"conch/configedit/check"
	"conch/configedit/folder"
)

// Folder shows a folder to the checks. dir is its path, for Triton's sentences. The caller adds the versions, and what
// it knows of files that are listed.
func Folder(fsys fs.FS, dir string) *check.Folder {
	return &check.Folder{
		Dir: dir,
		Has: func(rel string) bool {
			_, err := fs.Stat(fsys, path.Clean(rel))
			return err == nil
		},
		Size:    func(rel string) (int64, bool) { return size(fsys, path.Clean(rel)) },
		Open:    func(rel string) (io.ReadCloser, error) { return open(fsys, path.Clean(rel)) },
		Special: func(rel string) error { return special(fsys, path.Clean(rel)) },
	}
}

// size is that of a regular file.
func size(fsys fs.FS, name string) (int64, bool) {
	info, err := fs.Stat(fsys, name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	return info.Size(), true
}

// special says why an entry is neither a file nor a folder.
func special(fsys fs.FS, name string) error {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil
	}
	return folder.Special(info.Mode())
}

// open opens a regular file. Pipes are not opened: they would be waited for.
func open(fsys fs.FS, name string) (io.ReadCloser, error) {
	if _, ok := size(fsys, name); !ok {
		return nil, fs.ErrNotExist
	}
	return fsys.Open(name)
}
