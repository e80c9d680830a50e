//go:build unix

package userfile

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
