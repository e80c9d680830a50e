//go:build unix

package folder

import "syscall"

// nonblock opens a pipe at once, whether anybody writes to it or not. It changes nothing for files.
const nonblock = syscall.O_NONBLOCK
