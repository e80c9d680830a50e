package python

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// strayRounds bounds how often processes are looked for: one may have started another before it was killed.
const strayRounds = 20

// killStrays ends what a process has started in other groups and sessions: what has its mark in its environment.
func killStrays(mark string) {
	for range strayRounds {
		found := strays(mark)
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// strays returns the processes with a mark. A process that has ended has no environment.
func strays(mark string) (found []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	wanted := []byte(markVariable + "=" + mark)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/environ")
		if err == nil && (bytes.HasPrefix(text, wanted) || bytes.Contains(text, append([]byte{0}, wanted...))) {
			found = append(found, pid)
		}
	}
	return found
}
