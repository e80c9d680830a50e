package filelock

import (
	"errors"
	"syscall"
	"time"
)

// Abandoned is the age from which what a process made counts as left behind, where no lock can tell whether the process runs.
const Abandoned = 24 * time.Hour

// Absent reports whether an error of Try or Wait says that the file system has no locks. Some disks of a network return ENOLCK.
func Absent(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}
