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

// givenFolder is the folder that holds clients' files, with the lock that tells other processes that this one runs.
type givenFolder struct {
	path string
	lock *os.File
}

const (
	// givenPrefix begins the name of a folder of clients' files; the number of the process comes behind it.
	givenPrefix = "conch-models-"
	// givenLock is the file in it that its process keeps locked.
	givenLock = "lock"
	// sweptAfter is how long such a folder stays untouched before it may be removed. A process in another container that
	// shares the temporary folder through the network may not show its lock.
	sweptAfter = 24 * time.Hour
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
	f := &givenFolder{path: path, lock: lock}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the folder for clients' files: %w", err), f.remove())
	}
	return f, nil
}

// remove removes the folder with all that is in it.
func (f *givenFolder) remove() error {
	err := os.RemoveAll(f.path)
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// givenBase is the folder that holds clients' files. It is made without a lock, since a disk may be
// slow: of two loads that make one at the same time, the second removes its own again.
func (c *clientFiles) givenBase() (*givenFolder, error) {
	if base := c.baseOr(nil); base != nil {
		return base, nil
	}
	made, err := makeGivenFolder()
	if err != nil {
		return nil, err
	}
	base := c.baseOr(made)
	if base != made {
		_ = made.remove()
	} else {
		c.background(func() { c.sweep(c.life, time.Now()) })
	}
	return base, nil
}

// baseOr is the folder that holds clients' files; where there is none yet, it is the one given.
func (c *clientFiles) baseOr(made *givenFolder) *givenFolder {
	folders := c.folders.lock()
	defer c.folders.unlock()
	if folders.base == nil {
		folders.base = made
	}
	return folders.base
}

// removeAll removes what is left of clients' files at the end.
func (c *clientFiles) removeAll() {
	base := c.baseOr(nil)
	if base == nil {
		return
	}
	if err := base.remove(); err != nil {
		c.log.Warn("removing the files of loads", "error", err)
	}
}

// sweep removes the folders of processes that ended without doing so.
func (c *clientFiles) sweep(ctx context.Context, now time.Time) {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), givenPrefix+"*-*")) // the pattern is well formed
	for _, folder := range folders {
		if ctx.Err() != nil {
			return
		}
		if now.Sub(touched(folder)) > sweptAfter && abandoned(folder) {
			err := os.RemoveAll(folder) // another user's stays
			c.log.Info("removed the files of an ended process", "folder", folder, "error", err)
		}
	}
}

// touched is when a folder was changed last: loads come and go in it. One that cannot be looked at has
// just been.
func touched(folder string) time.Time {
	info, err := os.Stat(folder)
	if err != nil {
		return time.Now()
	}
	return info.ModTime()
}

// abandoned says whether the process of a folder has ended: nobody has its lock then. A folder without a lock is of a Conch that
// made none, or of a process that ended right away; its process number has to tell.
func abandoned(folder string) bool {
	lock, err := os.OpenFile(filepath.Join(folder, givenLock), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), givenPrefix), "-")
		pid, err := strconv.Atoi(text)
		return err == nil && !alive(pid)
	}
	if err != nil {
		return false // another user's
	}
	defer lock.Close()
	taken, err := filelock.Try(lock)
	return err == nil && !taken
}

// alive says whether there is a process; where the system does not tell, there is.
func alive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
