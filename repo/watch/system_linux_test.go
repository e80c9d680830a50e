package watch

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRemoteName(t *testing.T) {
	for _, magic := range []uint32{unix.NFS_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC} {
		if name, ok := remoteName(magic); !ok || name == "" {
			t.Errorf("%#x is not taken for a network drive", magic)
		}
	}
	for _, magic := range []uint32{unix.EXT4_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.XFS_SUPER_MAGIC} {
		if name, ok := remoteName(magic); ok {
			t.Errorf("%#x is taken for %s", magic, name)
		}
	}
}

func TestLimitWords(t *testing.T) {
	for err, want := range map[error]string{
		syscall.ENOSPC:        "sudo sysctl fs.inotify.max_user_watches=",
		syscall.EMFILE:        "sudo sysctl fs.inotify.max_user_instances=",
		errors.New("no such"): "no such",
	} {
		if got := limitWords(err); !strings.Contains(got, want) {
			t.Errorf("limitWords(%v) = %q", err, got)
		}
	}
}
