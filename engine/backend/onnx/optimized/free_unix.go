//go:build unix

package optimized

import "golang.org/x/sys/unix"

// freeBytes returns how many bytes users other than root can still write to the disk of a folder.
func freeBytes(dir string) (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return int64(stat.Bavail) * int64(stat.Bsize), nil
}
