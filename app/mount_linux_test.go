package app_test

import (
	"testing"

	"golang.org/x/sys/unix"
)

// mountReadOnly mounts a folder onto itself, read-only. It returns false where this user, or a
// container, may not mount.
func mountReadOnly(t *testing.T, dir string) bool {
	t.Helper()
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		return false
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "") == nil
}
