package enginehost

import (
	"syscall"

	"github.com/prometheus/procfs"
)

// sysProcAttr puts the engine in its own process group, so that Ctrl C in a terminal reaches only the
// workbench. It lets the kernel kill the engine when the workbench ends abruptly.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// processStopped reports whether a process was stopped, by a signal or a debugger.
func processStopped(pid int) (stopped, known bool) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return false, false
	}
	stat, err := process.Stat()
	return stat.State == "T" || stat.State == "t", err == nil
}
