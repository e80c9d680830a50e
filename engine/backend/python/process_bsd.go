//go:build unix && !linux

package python

import "syscall"

// ownGroup gives a process a group of its own. It ends with the engine because its connection does.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killStrays does nothing: the environment of another process cannot be read.
func killStrays(int, string) {}

// untilExit returns false: a process cannot be waited for without giving its number free.
func untilExit(int, func()) bool { return false }
