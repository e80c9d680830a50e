//go:build !race

package shortcut

import (
	"syscall"
	"unsafe"
)

// direct tells that sockets are read and written here.
const direct = true

// readSocket reads from a socket that never blocks. So Go's scheduler need not be told: it would give the processor of a
// thread that the system interrupts meanwhile to another one, which costs two wake-ups.
func readSocket(fd uintptr, p []byte) (int, error) {
	return result(syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p))))
}

// writeSocket writes to a socket that never blocks.
func writeSocket(fd uintptr, p []byte) (int, error) {
	return result(syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p))))
}

func result(n, _ uintptr, errno syscall.Errno) (int, error) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
