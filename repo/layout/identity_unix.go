//go:build unix

package layout

import (
	"io/fs"
	"syscall"
)

func numbersOf(info fs.FileInfo) (device, inode uint64, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return uint64(st.Dev), uint64(st.Ino), true
}
