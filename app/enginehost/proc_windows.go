package enginehost

import "syscall"

// sysProcAttr keeps Ctrl C and a console window away from the engine. The closed pipe ends the engine
// with the workbench.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// processStopped is not known on this system.
func processStopped(int) (stopped, known bool) { return false, false }
