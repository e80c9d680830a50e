package enginehost

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// sysProcAttr puts the engine into its own process group, so that Ctrl C in a terminal reaches only the
// workbench, and lets the kernel kill it when the workbench dies without a word.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// processStopped reports whether a process was stopped, by a signal or a debugger.
func processStopped(pid int) (stopped, known bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false, false
	}
	_, behind, _ := strings.Cut(string(text), ") ") // the program's name comes before
	return strings.HasPrefix(behind, "T") || strings.HasPrefix(behind, "t"), true
}
