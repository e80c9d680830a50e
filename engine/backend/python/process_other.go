//go:build !unix

package python

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// socketPair fails: a process here inherits no socket.
func socketPair() (*net.UnixConn, *os.File, error) {
	return nil, nil, errors.New("Python models run on Linux and macOS only")
}

func killGroup(int) {}

func (mark) put(int) error { return nil }

func killStrays(int, mark) {}

func ownSession() *syscall.SysProcAttr { return nil }

func exitText(*os.ProcessState, error) string { return "" }

func ownGroup() *syscall.SysProcAttr { return nil }

func untilExit(int, func()) bool { return false }

func (p *process) askForStack() {}

func (p *process) goOn() {}

func (p *process) breakOff(uint64) {}
