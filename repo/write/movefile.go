package write

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"conch/repo/files"
)

// Move gives a file, a link or a folder another path, and makes the folders on its way. What exists is not replaced. After an error
// everything is as it was.
func Move(from, to string) error {
	before, err := os.Lstat(from)
	if err != nil {
		return explain("move", from, err)
	}
	if strings.HasPrefix(to, from+string(filepath.Separator)) && before.IsDir() {
		return &Error{Do: "move", Path: from, Why: "a folder cannot be moved into itself", Err: fs.ErrInvalid}
	}
	if err := staysItself(from, to); err != nil {
		return err
	}
	there, missing, err := existing(filepath.Dir(to))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o777)
	}
	if err != nil {
		removeMade(there, missing)
		return explain("create", to, err)
	}
	rename := files.Rename
	if isOtherCase(before, from, to) {
		rename = os.Rename
	}
	if err := rename(from, to); err != nil {
		removeMade(there, missing)
		if errors.Is(err, fs.ErrExist) {
			from = to
		}
		return explain("move", from, err)
	}
	files.SyncFolder(filepath.Dir(to))
	files.SyncFolder(filepath.Dir(from))
	return nil
}

// staysItself refuses to move a link that would lead elsewhere from another folder.
func staysItself(from, to string) error {
	target, err := os.Readlink(from)
	if err != nil || filepath.IsAbs(target) || filepath.Dir(from) == filepath.Dir(to) {
		return nil
	}
	return &Error{
		Do: "move", Path: from, Err: fs.ErrInvalid,
		Why: "it is a link to " + target + ", which would lead elsewhere from another folder; make a new link there, and delete this one",
	}
}

// isOtherCase reports whether a path is the file's own in other capitals, where these do not count.
func isOtherCase(file fs.FileInfo, from, to string) bool {
	taken, err := os.Lstat(to)
	return err == nil && from != to && strings.EqualFold(from, to) && os.SameFile(file, taken)
}

// removeMade removes the folders that were made below one, unless somebody has put something into them.
func removeMade(there, missing string) {
	for ; missing != "" && missing != "."; missing = filepath.Dir(missing) {
		_ = os.Remove(filepath.Join(there, missing))
	}
}
