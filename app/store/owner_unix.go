//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// isOurs says whether a file belongs to the user of this process, who alone may change its rights.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
