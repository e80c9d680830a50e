//go:build !linux

package unblocking

import "syscall"

// Able tells whether sockets can be read and written so on this system.
const Able = false

// Read reads from a socket. A socket without bytes gives EAGAIN.
func Read(uintptr, []byte) (int, error) { return 0, syscall.EINVAL }

// Write writes to a socket. One that takes nothing now gives EAGAIN.
func Write(uintptr, []byte) (int, error) { return 0, syscall.EINVAL }

// Peek copies what a socket has, and leaves it there. A socket without bytes gives EAGAIN.
func Peek(uintptr, []byte) (int, error) { return 0, syscall.EINVAL }

// Yield lets another thread that wants this processor have it, where the system can.
func Yield() {}
