//go:build unix

package runtimes

import (
	"os/exec"
	"syscall"
)

// runWhole runs a command. With it, or with its context, all programs end that it started: uv runs pip as a program of its own, and a library that
// is opened may fork.
func runWhole(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = end
	err := cmd.Run()
	if cmd.Process != nil {
		_ = end()
	}
	return err
}
