package write

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"conch/repo/files"
	"conch/repo/trash"
)

// Removal is what goes with a file, a folder or a link that is deleted.
type Removal struct {
	Path string
	// Link is where a link points to, which stays; "" for anything else.
	Link   string
	Folder bool
	// Files are the first paths below a folder, and Count is how many there are.
	Files []string
	Count int
	Bytes int64
	// To is the trash that takes it.
	To trash.Place
}

// mostListed is how many files of a removal are named.
const mostListed = 200

// LookAt says what goes with something that is deleted. The error says why it cannot be deleted.
func LookAt(ctx context.Context, path string, to trash.Trash) (Removal, error) {
	r := Removal{Path: path}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, &Error{Do: "delete", Path: path, Why: "it is not there any more", Err: err}
	case err != nil:
		return r, explain("delete", path, err)
	}
	if mount := trash.MountBelow(path); mount != "" {
		return r, keepsIt(mount, "it is a mount: what lies there belongs to another disk or folder; unmount it first")
	}
	r.Folder = info.IsDir()
	if info.Mode()&fs.ModeSymlink != 0 {
		if r.Link, err = os.Readlink(path); err != nil {
			return r, explain("delete", path, err)
		}
	}
	if err := mayLeave(filepath.Dir(path)); err != nil {
		return r, err
	}
	r.To = to.For(path)
	return r, r.count(ctx)
}

// keepsIt is the error for what a person has to change first.
func keepsIt(path, why string) error {
	return &Error{Do: "delete", Path: path, Why: why, Err: fs.ErrPermission}
}

// mayLeave says why nothing can be taken out of a folder; nil when it can.
func mayLeave(dir string) error {
	if err := canWrite(dir); err != nil {
		return explain("delete from", dir, err)
	}
	return nil
}

// count looks at all that goes. Who took the permission to write away, or owns a file of somebody else's model, wants to
// be asked: such files keep what they lie in.
func (r *Removal) count(ctx context.Context) error {
	return filepath.WalkDir(r.Path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		var info fs.FileInfo
		if err == nil {
			info, err = entry.Info()
		}
		if err != nil {
			return explain("delete", path, err)
		}
		if err := mayGo(path, info); err != nil {
			return err
		}
		if entry.IsDir() {
			return nil
		}
		if info.Mode().IsRegular() {
			r.Bytes += info.Size()
		}
		if r.Count++; len(r.Files) < mostListed && path != r.Path {
			r.Files = append(r.Files, filepath.ToSlash(strings.TrimPrefix(path, r.Path+string(filepath.Separator))))
		}
		return nil
	})
}

// mayGo says why a file or a folder stays; nil when it can go.
func mayGo(path string, info fs.FileInfo) error {
	if owner := otherOwner(info); owner != "" {
		return keepsIt(path, "it belongs to "+owner+"; that user can delete it")
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil
	case info.Mode().Perm()&0o222 == 0:
		return keepsIt(path, "it is read-only; make it writable (chmod u+w) and delete it again")
	case info.IsDir():
		return mayLeave(path)
	}
	return nil
}

// Delete moves a file, a folder or a link to the trash; item.Restore puts it back. After an error all of it is there, or
// where the error says.
func Delete(ctx context.Context, path string, to trash.Trash) (item trash.Item, err error) {
	if _, err := LookAt(ctx, path, to); err != nil {
		return trash.Item{}, err
	}
	item, err = to.Put(ctx, path)
	if moved, is := errors.AsType[*trash.MovedError](err); is {
		return trash.Item{}, &Error{Do: "delete", Path: path, Why: why("delete", moved.Err) + "; all of it is now at " + moved.Now, Err: err}
	}
	if full, is := errors.AsType[*trash.TakeError](err); is {
		return trash.Item{}, &Error{Do: "delete", Path: path, Why: "the trash " + full.Dir + " does not take it: " + why("delete", full.Err) + note("delete"), Err: err}
	}
	if err != nil {
		return trash.Item{}, explain("delete", path, err)
	}
	files.SyncFolder(filepath.Dir(path))
	return item, nil
}

// PutBack puts something back that was deleted.
func PutBack(ctx context.Context, item trash.Item) error {
	err := item.Restore(ctx)
	switch {
	case errors.Is(err, trash.ErrGone):
		return &Error{Do: "put back", Path: item.Path, Why: err.Error(), Err: fs.ErrNotExist}
	case errors.Is(err, fs.ErrExist):
		return &Error{Do: "put back", Path: item.Path, Why: "something of that name is there again; move it away, or take yours from " + item.In, Err: err}
	case err != nil:
		return explain("put back", item.Path, err)
	}
	files.SyncFolder(filepath.Dir(item.Path))
	return nil
}
