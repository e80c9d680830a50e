package python

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives a process a group of its own, and ends it with the engine.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// untilExit waits until a process has ended. It stays a zombie, so that its number, which is that of its group, is not given
// to another one. stopped is called each time that a signal has stopped the process.
func untilExit(pid int, stopped func()) bool {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case info.Code == cldStopped:
			stopped()
			_ = unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOHANG, nil) // it is told once
		default:
			return true
		}
	}
}

// cldStopped says that a process was stopped (CLD_STOPPED of <signal.h>).
const cldStopped = 5

// memory returns the memory of the process that it does not share with other programs: its heaps, and the shared memory that
// it has touched.
func (p *process) memory() (uint64, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, false
	}
	var sum uint64
	found := false
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "RssAnon" && name != "RssShmem" {
			continue
		}
		kilobytes, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return 0, false
		}
		sum, found = sum+kilobytes<<10, true
	}
	return sum, found
}
