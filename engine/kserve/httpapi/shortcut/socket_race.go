//go:build linux && race

package shortcut

import "syscall"

// direct tells that sockets are read and written here.
const direct = true

// The race detector learns from these calls what came before what.

func readSocket(fd uintptr, p []byte) (int, error) { return syscall.Read(int(fd), p) }

func writeSocket(fd uintptr, p []byte) (int, error) { return syscall.Write(int(fd), p) }
