package trash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/repo/files"
	"conch/repo/layout"
)

// errChanged means that something was written while it was copied.
var errChanged = errors.New("it changed while it was copied to the trash; try again")

// errLeft means that something is back, and that its copy in the trash could not be removed.
var errLeft = errors.New("its copy is in the trash still")

// moveByCopy copies something, and removes it when all of it is there as it was. Before the last look at it, it gets another
// name: what a program writes at its place from then on is something new, and stays.
func (t Trash) moveByCopy(ctx context.Context, from, to string) error {
	before, err := stampsOf(ctx, from)
	if err == nil {
		err = copyTree(ctx, from, to)
	}
	if err != nil {
		return errors.Join(err, removeAll(to))
	}
	files.SyncFolder(filepath.Dir(to))
	aside, done, err := t.beside(from)
	if err == nil {
		defer done()
		err = files.Rename(from, aside)
	}
	if err != nil {
		return errors.Join(err, removeAll(to))
	}
	after, err := stampsOf(ctx, aside)
	if err == nil && !same(before, after) {
		err = errChanged
	}
	if err != nil {
		return giveBack(aside, from, to, err)
	}
	_ = removeAll(aside) // it is in the trash; what cannot be removed now is cleared when the repository is opened
	return nil
}

// giveBack gives what was set aside its place again after an error, and removes its copy. Where a program has made something new at
// that place, it gets a name beside it. Where it cannot be given back at all, as when its folder was moved away, the copy
// stays: what is left aside is cleared.
func giveBack(aside, from, copied string, because error) error {
	name := from
	err := files.Rename(aside, name)
	for i := 2; errors.Is(err, fs.ErrExist); i++ {
		name = filepath.Join(filepath.Dir(from), numbered(filepath.Base(from), i))
		err = files.Rename(aside, name)
	}
	switch {
	case err != nil:
		return &MovedError{Now: copied, Err: errors.Join(because, err)}
	case name != from:
		because = &MovedError{Now: name, Err: because}
	}
	return errors.Join(because, removeAll(copied))
}

// copyBack copies something out of the trash. It appears by a rename.
func (i Item) copyBack(ctx context.Context) error {
	near, done, err := i.trash.beside(i.Path)
	if err != nil {
		return err
	}
	defer done()
	if err := copyTree(ctx, i.In, near); err != nil {
		return errors.Join(err, removeAll(near))
	}
	if err := files.Rename(near, i.Path); err != nil {
		return errors.Join(err, removeAll(near))
	}
	if removeAll(i.In) != nil {
		return errLeft
	}
	return nil
}

// beside returns a free path on the disk of another one, for something on its way. It lies in a folder that is neither
// listed nor watched, and that is cleared when the repository is opened, should a kill leave it there. done removes that.
func (t Trash) beside(path string) (free string, done func(), err error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), layout.TempPattern("upload"))
	if err != nil {
		return "", nil, err
	}
	release := func() error { return nil }
	if t.Hold != nil {
		held, err := t.Hold(dir)
		if err != nil {
			return "", nil, errors.Join(err, os.Remove(dir))
		}
		release = held.Close
	}
	return filepath.Join(dir, "moved"), func() { _, _ = release(), os.Remove(dir) }, nil
}

// stamp tells whether something is as it was.
type stamp struct {
	mode fs.FileMode
	size int64
	time time.Time
}

func stampsOf(ctx context.Context, root string) (map[string]stamp, error) {
	list := map[string]stamp{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		list[strings.TrimPrefix(path, root)] = stamp{info.Mode(), info.Size(), info.ModTime()}
		return ctx.Err()
	})
	return list, err
}

func same(a, b map[string]stamp) bool {
	for path, was := range a {
		now, there := b[path]
		if !there || now.mode != was.mode || now.size != was.size || !now.time.Equal(was.time) {
			return false
		}
	}
	return len(a) == len(b)
}

// copyTree copies a file, a link or a folder with what it says of itself. What exists is not replaced.
func copyTree(ctx context.Context, from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err == nil {
			err = os.Symlink(target, to)
		}
		keepOwner(to, info)
		return err
	case info.IsDir():
		err = copyFolder(ctx, from, to)
	case info.Mode().IsRegular():
		err = files.Copy(ctx, from, to, 0o600)
	default:
		err = fmt.Errorf("%s is neither a file, a folder nor a link, and cannot be copied to the trash; remove it first", from)
	}
	if err != nil {
		return err
	}
	keepOwner(to, info)
	if err := os.Chmod(to, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

func copyFolder(ctx context.Context, from, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	for _, entry := range entries {
		if err == nil {
			err = copyTree(ctx, filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name()))
		}
	}
	files.SyncFolder(to)
	return err
}

// removeAll removes a copy that did not come to its end, also folders in it that may not be written any more.
func removeAll(copied string) error {
	_ = filepath.WalkDir(copied, func(path string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(copied)
}
