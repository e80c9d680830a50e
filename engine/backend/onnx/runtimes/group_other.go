//go:build !unix

package runtimes

import "os/exec"

// runWhole runs a command. The end of its context ends it alone, and not what it started.
func runWhole(cmd *exec.Cmd) error { return cmd.Run() }
