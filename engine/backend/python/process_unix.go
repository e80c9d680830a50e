//go:build unix

package python

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"syscall"
)

// socketPair returns a connection and its other end, as a file that a process inherits.
func socketPair() (*net.UnixConn, *os.File, error) {
	syscall.ForkLock.RLock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(pair[0])
		syscall.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "worker"), os.NewFile(uintptr(pair[1]), "engine")
	conn, err := net.FileConn(ours)
	_ = ours.Close() // FileConn has a copy
	if err != nil {
		_ = theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// killGroup ends a process and all of its group.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// ownSession keeps a process from what is meant for the engine and its group: Ctrl+C, or a kill of the whole group.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// exitText says how a process ended.
func exitText(state *os.ProcessState, err error) string {
	if state == nil {
		return fmt.Sprintf("its process cannot be watched: %v", err)
	}
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		text := fmt.Sprintf("its process was ended by signal %d (%v)", int(status.Signal()), status.Signal())
		if status.Signal() == syscall.SIGKILL {
			text += ", which is also what the system does when memory is short"
		}
		return text
	}
	return fmt.Sprintf("its process ended with exit status %d", state.ExitCode())
}

// askForStack has a process write its Python stacks to stderr (lib/conch_worker/stacks.py). It goes on for that
// when it was stopped.
func (p *process) askForStack() {
	_ = syscall.Kill(p.cmd.Process.Pid, syscall.SIGUSR2)
	p.goOn()
}

// breakOff has a process raise KeyboardInterrupt in an execution (lib/conch_worker/main.py). The process may run another one when the
// signal arrives, so it is told before which one is meant.
func (p *process) breakOff(number uint64) {
	if _, err := p.breaks.Write(binary.LittleEndian.AppendUint64(nil, number)); err == nil {
		_ = syscall.Kill(p.cmd.Process.Pid, syscall.SIGUSR1)
	}
}

// goOn has a process and its group go on when they were stopped (SIGSTOP).
func (p *process) goOn() { _ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGCONT) }
