//go:build !linux && !windows

package enginehost

import "syscall"

// sysProcAttr puts the engine in its own process group, so that Ctrl C in a terminal reaches only the
// workbench. The closed pipe ends the engine with the workbench.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// processStopped is not known on this system.
func processStopped(int) (stopped, known bool) { return false, false }
