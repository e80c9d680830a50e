package language

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// machineMemory is the memory of this machine in bytes, 0 where it cannot be told.
var machineMemory = sync.OnceValue(func() int64 {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(info)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(words[1], 10, 64)
			return kib << 10
		}
	}
	return 0
})
