package python

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownGroup gives a process a group of its own, and ends it with the engine.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// untilExit waits until a process has ended. It stays a zombie, so that its number, which is that of its group, is not given
// to another one.
func untilExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
