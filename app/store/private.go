package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"conch/app/userfile"
	"conch/engine/userdir"
)

// makePrivate removes others' access to the data folder and to each file in it, whatever the umask and
// the folder's mode: what is known of a person's work is private. It makes the folder of a database,
// its lock and an empty database where there is none, because SQLite would make it readable for all,
// and gives its journals the mode of the database. Files that older versions made lose the access of
// others.
func makePrivate(database string) error {
	dir := filepath.Dir(database)
	if err := userfile.MakeDir(dir); err != nil {
		return fmt.Errorf("make the folder for history: %w", err)
	}
	if err := closeToOthers(dir, userfile.DirMode); err != nil {
		return err
	}
	for _, path := range []string{database, database + lockSuffix} {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, userfile.FileMode); err == nil {
			_ = f.Close() // the next one to open it reports a better reason
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list the folder for history: %w", err)
	}
	for _, e := range entries {
		if kind := e.Type(); !kind.IsRegular() && kind != fs.ModeSocket {
			continue // the data folder is private, and so is all in folders below it
		}
		err := closeToOthers(filepath.Join(dir, e.Name()), userfile.FileMode)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // SQLite removes a journal when its last user closes
			return err
		}
	}
	return nil
}

// closeToOthers removes the access of others, and makes sure that the owner has at least owner. It
// leaves alone what belongs to somebody else, and a folder that is meant for many, such as /tmp.
func closeToOthers(path string, owner fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("read the permissions of %s: %w", path, err)
	}
	have := info.Mode().Perm()
	want := have&^userfile.OfOthers | owner
	if have == want || info.Mode()&(fs.ModeSticky|fs.ModeSymlink) != 0 || !userdir.IsOurs(info) {
		return nil
	}
	if err := os.Chmod(path, want); err != nil {
		return fmt.Errorf("remove others' access to %s: %w", path, err)
	}
	return nil
}
