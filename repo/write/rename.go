package write

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"conch/repo/files"
)

// CheckModelName says why a name cannot be a model's; nil when it can.
func CheckModelName(name string) error {
	if why := badModelName(name); why != "" {
		return &Error{Do: "use", Path: strconv.Quote(name), Why: why, Err: fs.ErrInvalid}
	}
	return nil
}

// RenameModel gives a model's folder another name, in the same place, and
// returns its new path. Nothing that is there already is replaced.
func RenameModel(dir, name string) (string, error) {
	to := filepath.Join(filepath.Dir(dir), name)
	if why := badModelName(name); why != "" {
		return "", &Error{Do: "rename", Path: dir, Why: why, Err: fs.ErrInvalid}
	}
	before, err := os.Lstat(dir)
	if err != nil {
		return "", explain("rename", dir, err)
	}
	// Where capitals do not count, a name of other capitals is the folder itself.
	rename := files.Rename
	if taken, err := os.Lstat(to); err == nil && os.SameFile(before, taken) {
		rename = os.Rename
	}
	if err := rename(dir, to); errors.Is(err, fs.ErrExist) {
		return "", explain("rename", to, err)
	} else if err != nil {
		return "", explain("rename", dir, err)
	}
	files.SyncFolder(filepath.Dir(dir))
	return to, nil
}
