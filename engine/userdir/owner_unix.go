//go:build unix

package userdir

import (
	"io/fs"
	"os"
	"syscall"
)

// IsOurs reports whether a file belongs to the user of this process. Only its owner may change its
// permissions.
func IsOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// isAlone reports whether nobody else can have put anything into a folder.
func isAlone(info fs.FileInfo) bool {
	return info.IsDir() && IsOurs(info) && info.Mode().Perm() == 0o700
}
