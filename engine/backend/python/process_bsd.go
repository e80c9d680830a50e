//go:build unix && !linux

package python

import "syscall"

// ownGroup gives a process a group of its own. It ends with the engine because its connection does.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// put does nothing: no limit can be set for another process, or be read.
func (mark) put(int) error { return nil }

func killStrays(int, mark) {}

// untilExit returns false: a process cannot be waited for without giving its number free.
func untilExit(int, func()) bool { return false }
