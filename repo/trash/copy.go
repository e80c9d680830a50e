package trash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"conch/repo/layout"
)

// errChanged means that something was written while it was copied.
var errChanged = errors.New("it changed while it was copied to the trash; try again")

// moveByCopy copies something, and removes it when all of it is there as it was.
func moveByCopy(ctx context.Context, from, to string) error {
	before, err := stampsOf(ctx, from)
	if err == nil {
		err = copyTree(ctx, from, to)
	}
	if err == nil {
		var after map[string]stamp
		after, err = stampsOf(ctx, from)
		if err == nil && !same(before, after) {
			err = errChanged
		}
	}
	if err != nil {
		return errors.Join(err, removeAll(to))
	}
	if err := os.RemoveAll(from); err != nil {
		return fmt.Errorf("all of it was copied to %s, but not all of it could be removed here: %w", to, err)
	}
	return nil
}

// copyBack copies something out of the trash. It appears by a rename. A folder that a kill leaves half copied has the name
// of what is cleared when the repository is opened.
func (i Item) copyBack(ctx context.Context) error {
	near := filepath.Join(filepath.Dir(i.Path), strings.Replace(layout.TempPattern("upload"), "*", filepath.Base(i.In), 1))
	if err := copyTree(ctx, i.In, near); err != nil {
		return errors.Join(err, removeAll(near))
	}
	if err := os.Rename(near, i.Path); err != nil {
		return errors.Join(err, removeAll(near))
	}
	return os.RemoveAll(i.In)
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
		list[path] = stamp{info.Mode(), info.Size(), info.ModTime()}
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
		err = copyFile(ctx, from, to)
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
	return err
}

func copyFile(ctx context.Context, from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, wanted{ctx, source})
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// wanted reads as long as somebody waits for it.
type wanted struct {
	ctx context.Context
	io.Reader
}

func (w wanted) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Reader.Read(p)
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
