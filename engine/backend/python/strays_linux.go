package python

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// strayRounds bounds how often processes are looked for: one may have started another before it was killed.
	strayRounds = 100
	// strayPause is between two rounds: what was killed needs a moment to end.
	strayPause = 2 * time.Millisecond
)

// put marks a process, and with it all that it starts from now on. The mark is a limit that the kernel hands down, whatever
// becomes of the environment, the session and the parent, and that has no other effect (RLIMIT_LOCKS, setrlimit(2)).
func (m mark) put(pid int) error {
	return unix.Prlimit(pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: uint64(m), Max: uint64(m)}, nil)
}

// killStrays ends what a process has started, also in other groups and sessions. The process is a zombie.
func killStrays(of int, m mark) {
	for range strayRounds {
		living := false
		for _, pid := range marked(m, m) {
			switch {
			case pid == of:
			case lives(pid):
				living = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
			default: // its parent has ended, and in a container the engine may be the parent of all
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
		}
		if !living {
			return
		}
		time.Sleep(strayPause)
	}
}

// marked returns the processes that have a mark from first to last, also those that have ended and are zombies.
func marked(first, last mark) []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	var found []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		var limit unix.Rlimit
		if unix.Prlimit(pid, unix.RLIMIT_LOCKS, nil, &limit) == nil && uint64(first) <= limit.Max && limit.Max <= uint64(last) {
			found = append(found, pid)
		}
	}
	return found
}

// lives reports whether a process has not ended: it is no zombie (proc(5), /proc/pid/stat).
func lives(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name before it may have spaces
	return err == nil && len(fields) > 0 && !bytes.ContainsAny(fields[0], "ZX")
}
