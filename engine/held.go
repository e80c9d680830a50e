package engine

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"conch/engine/infer"
)

// held bounds the memory of the requests inside, those that wait in queues above all. Triton's queues are unbounded where
// max_queue_size is 0, and the system ends a server that runs out of memory; here the request that would be too much is
// turned away, as a full queue does.
type held struct {
	limit int64 // bytes; negative for none
	bytes atomic.Int64
}

// requestCost is what a request takes beside its tensors: its connection's buffers, its goroutine.
const requestCost = 16 << 10

// take lets a request in, or says why not. What it gives is to be given back.
func (h *held) take(r *infer.Request) (int64, error) {
	size := int64(requestCost)
	for i := range r.Inputs {
		size += int64(len(r.Inputs[i].Data))
	}
	now := h.bytes.Add(size)
	if h.limit < 0 || now <= h.limit || now == size { // one alone is always let in: its size has its own limit
		return size, nil
	}
	h.bytes.Add(-size)
	return 0, &infer.Error{
		Code: infer.Unavailable, Fate: infer.TurnedAway,
		Message: "[request id: " + r.IDForPeople() + "] Exceeds maximum queue size: the requests that wait hold " + megabytes(now-size) +
			" of the " + megabytes(h.limit) + " that they may; send fewer at a time, or raise --request-memory-limit",
	}
}

func (h *held) give(size int64) { h.bytes.Add(-size) }

func megabytes(n int64) string { return strconv.FormatInt(n>>20, 10) + " MB" }

// requestMemory is the limit for an Options.RequestMemory: by default half of the machine's memory.
func requestMemory(asked int64) int64 {
	if asked != 0 {
		return asked
	}
	return machineMemory() / 2
}

// someMemory is what a machine that does not tell is taken to have.
const someMemory = 8 << 30

// machineMemory is what this process may use at most: the system's memory, or what a container leaves of it.
func machineMemory() int64 {
	total := int64(someMemory)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if fields := strings.Fields(string(text)); len(fields) > 1 && fields[0] == "MemTotal:" {
			if kilobytes, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				total = kilobytes << 10
			}
		}
	}
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			total = min(total, n)
		}
	}
	return total
}
