package filelock

import (
	"errors"
	"os"
	"syscall"
	"time"

	"conch/engine/filelock/internal/system"
)

// Try takes the lock of an open file, which lasts until the file is closed. locked is true when somebody else has it; another
// part of this process is somebody else, too.
func Try(f *os.File) (locked bool, err error) { return system.Now().Try(f) }

// Abandoned is the age from which what a process made counts as left behind, where no lock can tell whether the process runs.
const Abandoned = 24 * time.Hour

// Absent reports whether an error of Try says that the file system has no locks. Some disks of a network return ENOLCK.
func Absent(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// LeftBehind reports whether nobody has touched a file or folder for a day. What cannot be looked at is not left.
func LeftBehind(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && time.Since(info.ModTime()) >= Abandoned
}
