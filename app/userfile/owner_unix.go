//go:build unix

package userfile

import (
	"io/fs"
	"os"
	"syscall"
)

// IsOurs reports whether a file belongs to the user of this process, who alone may change its rights.
func IsOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
