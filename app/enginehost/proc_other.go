//go:build !linux && !windows

package enginehost

import "syscall"

// sysProcAttr puts the engine into its own process group, so that Ctrl C in a terminal reaches only the
// workbench. That it does not outlive the workbench is seen to by its pipe.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// processStopped is not known here.
func processStopped(int) (stopped, known bool) { return false, false }
