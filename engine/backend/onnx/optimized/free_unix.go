//go:build unix

package optimized

import "golang.org/x/sys/unix"

// freeBytes is the room on the disk of a folder for those who are not root.
func freeBytes(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil
}
