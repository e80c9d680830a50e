package scan

import (
	"io/fs"
	"syscall"
)

// changeTime is the inode's change time in nanoseconds. Triton looks at it
// beside the modification time, which "cp -p" and "touch -d" set back.
func changeTime(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano()
	}
	return 0
}

// writable reports whether entries can be made in a folder.
func writable(dir string) bool {
	const wOK = 2 // W_OK of access(2)
	return syscall.Access(dir, wOK) == nil
}
