//go:build unix

package runtimes

import (
	"os/exec"
	"syscall"
)

// endWhole makes the end of a command's context end the programs that it started too: uv runs pip as a program of its own.
func endWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
