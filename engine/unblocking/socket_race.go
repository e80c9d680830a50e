//go:build linux && race

package unblocking

import "syscall"

// Able tells whether sockets can be read and written so on this system.
const Able = true

// Read reads from a socket. A socket without bytes gives EAGAIN. The race detector learns from these calls what came before what.
func Read(fd uintptr, p []byte) (int, error) { return syscall.Read(int(fd), p) }

// Write writes to a socket. One that takes nothing now gives EAGAIN.
func Write(fd uintptr, p []byte) (int, error) { return syscall.Write(int(fd), p) }

// Peek copies what a socket has, and leaves it there. A socket without bytes gives EAGAIN.
func Peek(fd uintptr, p []byte) (int, error) {
	n, _, err := syscall.Recvfrom(int(fd), p, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return n, err
}
