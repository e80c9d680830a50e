// Package stopped tells a process that something outside of it ended from one that ended by itself, for the engine and the workbench. It ends
// none.
package stopped

import (
	"errors"
	"os/exec"
	"syscall"
)

// By returns the signal from outside that ended a command, in words: "signal: killed". It is "" for any other end: a program that fails ends by
// other signals. Windows does not tell.
func By(err error) string {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return ""
	}
	status, is := ended.Sys().(syscall.WaitStatus)
	if !is || !status.Signaled() {
		return ""
	}
	switch signal := status.Signal(); signal {
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP:
		return "signal: " + signal.String()
	}
	return ""
}
