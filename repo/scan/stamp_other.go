//go:build !linux

package scan

import (
	"io/fs"
	"os"
)

// changeTime: only Linux is asked for it; elsewhere the modification time and
// size have to do.
func changeTime(fs.FileInfo) int64 { return 0 }

// writable guesses from the permission bits.
func writable(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o222 != 0
}
