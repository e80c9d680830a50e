//go:build unix

package files

import (
	"os"
	"syscall"
)

// SyncFolder makes a rename survive a power cut. The rename itself is done,
// and not every file system can flush a folder, so errors do not count.
func SyncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// SameDisk reports whether two folders are on one file system. A rename can go from one to the other then, unless they are
// two mounts of it.
func SameDisk(a, b string) bool {
	ofA, errA := os.Stat(a)
	ofB, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return false
	}
	stA, okA := ofA.Sys().(*syscall.Stat_t)
	stB, okB := ofB.Sys().(*syscall.Stat_t)
	return okA && okB && stA.Dev == stB.Dev
}
