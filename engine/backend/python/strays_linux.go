package python

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	// strayRounds bounds how often processes are looked for: one may have started another before it was killed.
	strayRounds = 100
	// strayPause is between two rounds. Nothing tells when a process has an environment that can be read.
	strayPause = 2 * time.Millisecond
)

// killStrays ends what a process has started in other groups and sessions: what has its mark in its environment. The process
// has ended, and is a zombie.
func killStrays(pid int, mark string) {
	began, _ := startOf(strconv.Itoa(pid))
	for range strayRounds {
		found, unknown := strays(mark, began)
		if len(found) == 0 && !unknown {
			return
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(strayPause)
	}
}

// strays returns the processes with a mark, and whether there is one that cannot be judged: a process that began later than
// `began` and is about to run another program has no environment for a moment.
func strays(mark string, began uint64) (found []int, unknown bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	wanted := []byte("\x00" + markVariable + "=" + mark)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		text, err := os.ReadFile("/proc/" + name + "/environ")
		switch {
		case err != nil:
		case len(text) == 0:
			start, lives := startOf(name)
			unknown = unknown || lives && start >= began
		case bytes.Contains(append([]byte{0}, text...), wanted):
			found = append(found, pid)
		}
	}
	return found, unknown
}

// startOf returns when a process began, in ticks since the system did, and whether it is alive: no zombie, and no part of
// the kernel (proc(5), /proc/pid/stat).
func startOf(pid string) (ticks uint64, lives bool) {
	const state, flags, start, kernelThread = 0, 6, 19, 0x00200000
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // the name before it may have spaces
	if err != nil || len(fields) <= start {
		return 0, false
	}
	ticks, _ = strconv.ParseUint(string(fields[start]), 10, 64)
	set, _ := strconv.ParseUint(string(fields[flags]), 10, 64)
	return ticks, !bytes.ContainsAny(fields[state], "ZX") && set&kernelThread == 0
}
