package unshared

import (
	"math"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// first is the first file that may be marked: the standard ones are for the programs.
const first = 3

// While runs open, which opens files. No program is started meanwhile, and none that is started later
// inherits them. Open must not wait for anything.
func While(open func()) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	open()
	Mark()
}

// Mark keeps all files that are open now from programs that are started later.
func Mark() {
	if err := unix.CloseRange(first, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		markEach() // a kernel before 5.11
	}
}

func markEach() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}
