//go:build unix

package layout

import (
	"io/fs"
	"syscall"
)

func identityOf(info fs.FileInfo) (Identity, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}, false
	}
	return Identity{uint64(st.Dev), uint64(st.Ino)}, true
}
