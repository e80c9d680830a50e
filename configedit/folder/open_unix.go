//go:build unix

package folder

import "syscall"

// nonblock opens a pipe without waiting for a writer. It has no effect on files.
const nonblock = syscall.O_NONBLOCK
