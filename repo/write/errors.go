package write

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Error says what could not be done to which file, why, and what to do.
type Error struct {
	// Do is what was tried: "save", "read", "create", "delete".
	Do   string
	Path string
	// Why is the reason and the way out.
	Why string
	Err error
}

func (e *Error) Error() string { return fmt.Sprintf("cannot %s %s: %s", e.Do, e.Path, e.Why) }

// Unwrap returns the operating system's error.
func (e *Error) Unwrap() error { return e.Err }

// ConflictError says that the file on disk is not the one that was edited.
type ConflictError struct {
	Path string
	// Disk is what the file holds now; nil if it is gone.
	Disk []byte
	// Version is that of Disk; zero if the file is gone.
	Version Version
}

func (e *ConflictError) Error() string {
	if !e.Version.Exists() {
		return fmt.Sprintf("%s was deleted on disk while it was being edited: save it again, or close it", e.Path)
	}
	return fmt.Sprintf("%s changed on disk while it was being edited: compare, then keep one of the two", e.Path)
}

// makeIn is what is done in a folder of a repository, whose path goes with it.
const makeIn = "make a model in"

const unchanged = " (the file on disk is unchanged)"

// Explain makes an Error of what the operating system said, for callers that meet the same errors on the way to a file.
func Explain(do, path string, err error) error { return explain(do, path, err) }

func explain(do, path string, err error) error {
	reason := why(do, err)
	if do != "read" && errors.Is(err, fs.ErrPermission) {
		if owner := ownerAround(do, path); owner != "" {
			reason = "permission denied: this user may not change the folder, which belongs to " + owner + "; ask that user for the permission, or work on a copy of the repository"
		}
	}
	return &Error{Do: do, Path: path, Why: reason + note(do), Err: err}
}

// ownerAround names the other user who owns the folder that would be changed, which is the nearest one that exists. It is ""
// where this user owns it, and so can change its permissions.
func ownerAround(do, path string) string {
	dir := path
	if do != "delete from" && do != makeIn {
		dir = filepath.Dir(path)
	}
	for {
		info, err := os.Stat(dir)
		if err == nil {
			return otherOwner(info)
		}
		above := filepath.Dir(dir)
		if above == dir || !errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		dir = above
	}
}

func note(do string) string {
	switch do {
	case "save":
		return unchanged
	case "delete", "delete from":
		return " (nothing was deleted)"
	}
	return ""
}

func why(do string, err error) string {
	if do == "read" && errors.Is(err, fs.ErrPermission) {
		return "permission denied: this user may not read it; change its permissions (chmod u+r), or run Conch as a user who may"
	}
	for _, known := range reasons() {
		if errors.Is(err, known.err) {
			return known.why
		}
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err.Error()
	}
	return err.Error()
}

type known struct {
	err error
	why string
}

func reasons() []known {
	return []known{
		{syscall.ENOSPC, "the disk is full; free some space and try again"},
		{syscall.EDQUOT, "the disk quota is used up; free some space and try again"},
		{syscall.EROFS, "the file system is mounted read-only; mount it for writing, or work on a copy of the repository"},
		{syscall.EFBIG, "it would be larger than this system or user may write (ulimit -f); raise that limit, or save less"},
		{syscall.EIO, "the disk reports an input/output error; look into the system's log and at the disk before you go on"},
		{syscall.EBUSY, "it is in use by the system, as a mount is; unmount it first"},
		{syscall.EXDEV, "its disk has layers, as that of a container has, and a folder of a lower one cannot be moved; put a copy in its place (cp -a) and try again"},
		{syscall.EISDIR, "it is a folder, not a file"},
		{syscall.ENOTDIR, "a part of its path is a file, not a folder"},
		{syscall.ENAMETOOLONG, "the name is too long"},
		{fs.ErrPermission, "permission denied: this user may not change the folder; change its permissions (chmod u+w), or work on a copy of the repository"},
		{fs.ErrExist, "something of that name exists already; choose another name"},
		{fs.ErrNotExist, "its folder does not exist; put it back and try again"},
	}
}
