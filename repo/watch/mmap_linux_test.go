package watch

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMappedWrite: a write through a mapping sends no event, and is told of all the same. The system sends one, IN_CLOSE_WRITE,
// when both the file and the mapping are closed, which may be never, and fsnotify does not pass it on.
func TestMappedWrite(t *testing.T) {
	dir := sample(t)
	put(t, dir, "m/1/model.onnx", "the old content")
	up := watching(t, dir, Notify)
	f, err := os.OpenFile(filepath.Join(dir, "m", "1", "model.onnx"), os.O_RDWR, 0)
	check(t, err)
	data, err := unix.Mmap(int(f.Fd()), 0, len("the old content"), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	check(t, err)
	copy(data, "the new content")
	check(t, unix.Msync(data, unix.MS_SYNC))
	check(t, unix.Munmap(data))
	check(t, f.Close())
	await(t, up, dir, "m/1/model.onnx")
}
