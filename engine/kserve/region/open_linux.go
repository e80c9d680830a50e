package region

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"conch/engine/infer"
)

// folder is where Linux shows POSIX shared memory objects as files.
const folder = "/dev/shm"

// open opens the object of a key as shm_open does. It opens no device and follows no link.
func open(key string) (*os.File, error) {
	refused := infer.Errorf(infer.Internal, "Unable to open shared memory region: '%s'", key)
	name := strings.TrimLeft(key, "/")
	if name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return nil, refused
	}
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, refused
	}
	info, err := f.Stat()
	if err != nil || !owned(info) {
		_ = f.Close()
		return nil, infer.Errorf(infer.Internal, "Unable to open shared memory region: '%s': it belongs to another user", key)
	}
	return f, nil
}

func owned(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
