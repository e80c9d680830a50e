//go:build !race

package unblocking

import (
	"syscall"
	"unsafe"
)

// Able tells whether sockets can be read and written so on this system.
const Able = true

// Read reads from a socket. A socket without bytes gives EAGAIN.
func Read(fd uintptr, p []byte) (int, error) {
	return result(syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p))))
}

// Write writes to a socket. One that takes nothing now gives EAGAIN.
func Write(fd uintptr, p []byte) (int, error) {
	return result(syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p))))
}

// Peek copies what a socket has, and leaves it there. A socket without bytes gives EAGAIN.
func Peek(fd uintptr, p []byte) (int, error) {
	return result(syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0))
}

func result(n, _ uintptr, errno syscall.Errno) (int, error) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
