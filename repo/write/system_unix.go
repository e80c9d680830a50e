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
