package control

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"conch/engine/filelock"
)

// givenFolder is the folder of clients' files, with the lock that shows other processes that this one runs.
type givenFolder struct {
	path string
	lock *os.File
}

const (
	// givenPrefix begins the name of a folder of clients' files; the process number follows it.
	givenPrefix = "conch-models-"
	// givenLock is the file in it that its process keeps locked.
	givenLock = "lock"
	// sweptAfter is how long such a folder must be untouched before it may be removed. The lock of a process in
	// another container that shares the temporary folder over the network may be invisible here.
	sweptAfter = filelock.Abandoned
)

func makeGivenFolder() (*givenFolder, error) {
	path, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", givenPrefix, os.Getpid()))
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(path, givenLock), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		_, err = filelock.Try(lock)
	}
	if filelock.Absent(err) {
		err = nil // the process number tells others that this process runs
	}
	f := &givenFolder{path: path, lock: lock}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the folder for clients' files: %w", err), f.remove())
	}
	return f, nil
}

// remove removes the folder with its content.
func (f *givenFolder) remove() error {
	err := os.RemoveAll(f.path)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// gone reports whether the folder must not be used any more. A cleaner of temporary folders may have
// removed it, or its lock, and then another program may have a folder of this name.
func (f *givenFolder) gone() bool {
	mine, err := f.lock.Stat()
	if err != nil {
		return true // replaced: its lock is closed
	}
	there, err := os.Lstat(filepath.Join(f.path, givenLock))
	return errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, there)
}

// givenBase returns the folder of clients' files. It creates the folder before the first load, and
// again when it is gone. It does so without a lock, since a disk may be slow. If two loads create one
// at the same time, the second removes its own again.
func (c *clientFiles) givenBase() (*givenFolder, error) {
	old := c.base()
	if old != nil && !old.gone() {
		return old, nil
	}
	made, err := makeGivenFolder()
	if err != nil {
		return nil, err
	}
	base := c.replaceBase(old, made)
	if base != made {
		_ = made.remove()
		return base, nil
	}
	if old != nil {
		_ = old.lock.Close()
		c.log.Warn("another program removed the folder for the files of loads; a new one is used",
			"removed", old.path, "folder", made.path)
	}
	c.background(func() { c.sweep(c.life, time.Now()) })
	return base, nil
}

// base returns the folder of clients' files; nil before the first load.
func (c *clientFiles) base() *givenFolder {
	folders := c.folders.Lock()
	defer c.folders.Unlock()
	return folders.base
}

// replaceBase makes a folder the one of clients' files, unless old is replaced already. It returns
// the one in use then.
func (c *clientFiles) replaceBase(old, made *givenFolder) *givenFolder {
	folders := c.folders.Lock()
	defer c.folders.Unlock()
	if folders.base != old {
		return folders.base
	}
	folders.base = made
	if old != nil {
		folders.left = append(folders.left, old.path)
	}
	return made
}

// removeAll removes the rest of the clients' files at the end.
func (c *clientFiles) removeAll() {
	folders := c.folders.Lock()
	base, left := folders.base, folders.left
	c.folders.Unlock()
	var errs []error
	for _, path := range left {
		errs = append(errs, os.RemoveAll(path))
	}
	if base != nil {
		errs = append(errs, base.remove())
	}
	if err := errors.Join(errs...); err != nil {
		c.log.Warn("removing the files of loads", "error", err)
	}
}

// sweep removes the folders of processes that ended without removing them.
func (c *clientFiles) sweep(ctx context.Context, now time.Time) {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), givenPrefix+"*-*")) // the pattern is well formed
	for _, folder := range folders {
		if ctx.Err() != nil {
			return
		}
		if now.Sub(touched(folder)) > sweptAfter && abandoned(folder) {
			err := os.RemoveAll(folder) // another user's folder stays
			c.log.Info("removed the files of an ended process", "folder", folder, "error", err)
		}
	}
}

// touched returns when a folder was last changed: each load adds or removes a file in it. A folder
// that cannot be read counts as just changed.
func touched(folder string) time.Time {
	info, err := os.Stat(folder)
	if err != nil {
		return time.Now()
	}
	return info.ModTime()
}

// abandoned reports whether the process of a folder has ended: nobody holds its lock then. A folder without a lock
// comes from an older Conch, or from a process that ended at once. Then, and on a disk without locks, the process number decides.
func abandoned(folder string) bool {
	lock, err := os.OpenFile(filepath.Join(folder, givenLock), os.O_RDWR, 0)
	taken := false
	if err == nil {
		defer lock.Close()
		taken, err = filelock.Try(lock)
	}
	if errors.Is(err, fs.ErrNotExist) || filelock.Absent(err) {
		text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), givenPrefix), "-")
		pid, err := strconv.Atoi(text)
		return err == nil && !alive(pid)
	}
	return err == nil && !taken // else another user's process
}

// alive reports whether a process runs. If the system does not tell, it returns true.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
