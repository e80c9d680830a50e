//go:build unix

package write

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner sets the owner and group of a file to those of another, where allowed. Who may not give a file away may still give
// it to a group of his own.
func keepOwner(f *os.File, old fs.FileInfo) {
	st, ok := old.Sys().(*syscall.Stat_t)
	if ok && f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid))
	}
}

// syncFolder makes a rename survive a power cut. The rename itself is done,
// and not every file system can flush a folder, so errors do not count.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// sameDisk reports whether two folders are on one file system, so that a rename can go from one to
// the other.
func sameDisk(a, b string) bool {
	ofA, errA := os.Stat(a)
	ofB, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return false
	}
	stA, okA := ofA.Sys().(*syscall.Stat_t)
	stB, okB := ofB.Sys().(*syscall.Stat_t)
	return okA && okB && stA.Dev == stB.Dev
}
