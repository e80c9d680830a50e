package watch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// remote says why a folder cannot be watched by events: the kernel reports
// what this machine does to a network drive, but not what others do.
func remote(roots []string) string {
	for _, root := range roots {
		var st unix.Statfs_t
		if err := unix.Statfs(root, &st); err != nil {
			continue
		}
		if name, ok := remoteName(uint32(st.Type)); ok {
			return fmt.Sprintf("%s lies on a network or shared drive (%s), which does not report changes made elsewhere", root, name)
		}
	}
	return ""
}

// remoteName knows file systems by the magic numbers of statfs(2) and of the
// kernel's own include/uapi/linux/magic.h.
func remoteName(magic uint32) (string, bool) {
	switch magic {
	case unix.NFS_SUPER_MAGIC:
		return "NFS", true
	case unix.CIFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "SMB", true
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE, such as sshfs, rclone or a virtual machine's share", true
	case unix.V9FS_MAGIC:
		return "9p, such as WSL's or a virtual machine's share", true
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "AFS", true
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph", true
	case unix.CODA_SUPER_MAGIC, unix.NCP_SUPER_MAGIC:
		return "Coda or NCP", true
	case 0x0bd00bd0:
		return "Lustre", true
	case 0x47504653:
		return "GPFS", true
	case 0x19830326:
		return "BeeGFS", true
	case 0x01161970, unix.OCFS2_SUPER_MAGIC:
		return "GFS2 or OCFS2", true
	case 0x786f4256, 0xbacbacbc, 0x7c7c6673:
		return "a virtual machine's shared folder", true
	}
	return "", false
}

// limitWords says to a person why fsnotify was given up.
func limitWords(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the system's limit of watched folders is used up" + sysctl("max_user_watches", "524288")
	case errors.Is(err, syscall.EMFILE):
		return "the system's limit of watching programs, or this program's of open files, is used up" + sysctl("max_user_instances", "1024")
	}
	return fmt.Sprintf("the system does not report changes here: %v", err)
}

// sysctl names the setting that would help.
func sysctl(name, better string) string {
	now, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (fs.inotify.%s is %s); raise it with: sudo sysctl fs.inotify.%s=%s", name, strings.TrimSpace(string(now)), name, better)
}
