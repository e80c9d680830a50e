package enginehost

import "syscall"

// sysProcAttr puts the engine into its own process group, so that Ctrl C in a terminal reaches only the
// workbench, and lets the kernel kill it when the workbench dies without a word.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
