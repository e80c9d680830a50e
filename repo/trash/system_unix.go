//go:build unix

package trash

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"conch/repo/files"
	"conch/repo/layout"
)

// isOwn reports whether a folder is this user's.
func isOwn(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// keepOwner gives a copy the owner of what it is a copy of, where this user may do so.
func keepOwner(path string, of fs.FileInfo) {
	if st, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = os.Lchown(path, int(st.Uid), int(st.Gid))
	}
}

func canWrite(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// topOf returns the topmost folder of the file system that a folder is in.
func topOf(dir string) string {
	if top := mountOf(dir); top != "" {
		return top
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if !files.SameDisk(dir, filepath.Dir(dir)) {
			break
		}
	}
	return dir
}

// mountOf returns the mount that a folder is in; "" where the system does not tell.
func mountOf(dir string) (top string) {
	for _, mount := range mounts() {
		if layout.Below(mount, dir) && len(mount) >= len(top) {
			top = mount
		}
	}
	return top
}

// MountBelow returns a mount that is this path or lies below it; "" when there is none. A rename would take it along.
func MountBelow(path string) string {
	for _, mount := range mounts() {
		if layout.Below(path, mount) {
			return mount
		}
	}
	return ""
}

// mounts lists the mounts that this process sees, where the system tells.
func mounts() (list []string) {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			list = append(list, unescaped.Replace(fields[4]))
		}
	}
	return list
}

var unescaped = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
