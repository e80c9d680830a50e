package files

import (
	"errors"
	"io/fs"
	"os"
)

// Rename gives a file, a link or a folder another name. What has that name already is not replaced, also when it appears
// at the last moment; the error is fs.ErrExist then.
func Rename(from, to string) error {
	err := renameNew(from, to)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return renameByLink(from, to)
}

// renameByLink serves file systems that know no such rename, as some of networks do: a second name, and then the first one
// goes. Folders have no second name, but an empty folder is all that a folder can replace.
func renameByLink(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		err := os.Link(from, to)
		if err == nil {
			return os.Remove(from)
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if _, err := os.Lstat(to); err == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}
