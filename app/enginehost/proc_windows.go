package enginehost

import "syscall"

// sysProcAttr keeps Ctrl C and a console window away from the engine. That it does not outlive the workbench
// is seen to by its pipe.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// processStopped is not known here.
func processStopped(int) (stopped, known bool) { return false, false }
