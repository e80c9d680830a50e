package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"conch/app/userfile"
)

// makePrivate keeps others from the data folder and from each file in it, whatever the umask and whatever the folder was
// before: what is known of a person's work is for nobody else. It makes the folder of a database, its lock and an empty database where there is none: SQLite would make it readable for
// all, and gives its journals the rights of the database. Files that older versions made lose the rights of others.
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
			_ = f.Close() // whoever opens it next says better why it cannot be opened
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list the folder for history: %w", err)
	}
	for _, e := range entries {
		if kind := e.Type(); !kind.IsRegular() && kind != fs.ModeSocket {
			continue // the folder is closed, and so is what lies in folders below it
		}
		err := closeToOthers(filepath.Join(dir, e.Name()), userfile.FileMode)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a journal goes when its last user does
			return err
		}
	}
	return nil
}

// closeToOthers takes the rights of others away, and sees that the owner has at least those. What belongs to somebody else is
// left alone, and so is a folder that is meant for many, as /tmp.
func closeToOthers(path string, owner fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("look at the rights of %s: %w", path, err)
	}
	have := info.Mode().Perm()
	want := have&^userfile.OfOthers | owner
	if have == want || info.Mode()&(fs.ModeSticky|fs.ModeSymlink) != 0 || !userfile.IsOurs(info) {
		return nil
	}
	if err := os.Chmod(path, want); err != nil {
		return fmt.Errorf("keep others from %s: %w", path, err)
	}
	return nil
}
