//go:build unix

package write

import (
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
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

// canWrite says why a folder cannot be written in; nil when it can.
func canWrite(dir string) error {
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "access", Path: dir, Err: err}
	}
	return nil
}

// otherOwner names the user that something belongs to; "" where it is this one's, or this one is root.
func otherOwner(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() == 0 || int(st.Uid) == os.Geteuid() {
		return ""
	}
	id := strconv.Itoa(int(st.Uid))
	if known, err := user.LookupId(id); err == nil {
		return known.Username
	}
	return "the user with the number " + id
}
