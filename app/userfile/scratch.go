package userfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"conch/engine/filelock"
	"conch/engine/userdir"
)

// Scratch is a folder that this process uses while it runs. If the process is killed, the folder stays
// until another process makes a folder with the same prefix in the same place.
type Scratch struct {
	dir  string
	lock *os.File // nil where it could not be taken, as on a file system without locks
}

// MakeScratch makes a folder in parent, and removes those that killed processes left there. "" as
// parent means the temporary folder.
func MakeScratch(parent, prefix string) (*Scratch, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s-%d-*", prefix, os.Getpid())) // of DirMode
	if err != nil {
		return nil, fmt.Errorf("make a folder for this process: %w", err)
	}
	s := &Scratch{dir: dir}
	s.lock, _ = TryLock(filepath.Join(dir, scratchLock)) // without a lock, the age of the folder tells whether it is in use
	Sweep(parent, prefix)
	return s, nil
}

// Path returns where the folder is.
func (s *Scratch) Path() string { return s.dir }

// Remove removes the folder and its content.
func (s *Scratch) Remove() error {
	if s.lock != nil {
		_ = s.lock.Close()
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove a folder of this process: %w", err)
	}
	return nil
}

// scratchLock is a file whose lock shows that the folder is in use. This also works for a process in
// another container, where process numbers differ.
const scratchLock = "in-use.lock"

const (
	// young is the age up to which the process that made a folder may not have its lock yet.
	young = time.Minute
	// unlocked is the age from which only the process number counts, where the folder or the file
	// system has no lock.
	unlocked = filelock.Abandoned
)

// Sweep removes the folders with this prefix that killed processes of this user left in parent.
func Sweep(parent, prefix string) { sweep(parent, prefix, time.Now()) }

func sweep(parent, prefix string, now time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // it is only a clean-up
	}
	for _, e := range entries {
		pid, ok := madeBy(e.Name(), prefix)
		if !ok || !e.IsDir() || !gone(pid) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() && userdir.IsOurs(info) && abandoned(dir, now.Sub(info.ModTime()), TryLock) {
			_ = os.RemoveAll(dir) // does not follow links
		}
	}
}

// madeBy returns the number of the process that made a folder.
func madeBy(name, prefix string) (pid int, ok bool) {
	rest, ok := strings.CutPrefix(name, prefix+"-")
	number, _, made := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	return pid, ok && made && err == nil && pid > 0
}

// gone reports whether no process on this machine has this number.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true // Windows reports it this way
	}
	defer func() { _ = p.Release() }()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// abandoned reports whether nobody uses a folder any more. tryLock takes locks in it.
func abandoned(dir string, age time.Duration, tryLock func(path string) (*os.File, error)) bool {
	path := filepath.Join(dir, scratchLock)
	if _, err := os.Lstat(path); err != nil {
		return errors.Is(err, os.ErrNotExist) && age >= unlocked
	}
	if age < young {
		return false
	}
	lock, err := tryLock(path)
	if filelock.Absent(err) {
		return age >= unlocked // its process got no lock either
	}
	if err != nil {
		return false
	}
	_ = lock.Close()
	return true
}
