package budget

import (
	"path/filepath"
	"strconv"
	"strings"
)

// Free is what this process may still take: what the machine has left, or what the control groups that it is in do. It is
// false where the system does not tell.
func Free() (int64, bool) { return freeUnder("/") }

// freeUnder is Free with another folder in place of the root of the file system.
func freeUnder(root string) (free int64, known bool) {
	note := func(n int64) {
		if !known || n < free {
			free, known = max(n, 0), true
		}
	}
	if n, ok := entry(text(root, "proc/meminfo"), "MemAvailable:"); ok {
		note(n << 10)
	}
	for _, group := range memoryGroups(root) {
		for folder := group.folder; ; folder = filepath.Dir(folder) {
			for _, use := range usages {
				limit, limited := number(text(root, folder, use.limit))
				used, tells := number(text(root, folder, use.used))
				if !limited || !tells {
					continue
				}
				stat := text(root, folder, "memory.stat")
				for _, cached := range use.cached { // the system takes it back when it is needed
					n, _ := entry(stat, cached)
					used -= n
				}
				note(limit - used)
			}
			if folder == group.mount || len(folder) <= 1 {
				break
			}
		}
	}
	return free, known
}

// usages are the files of a control group in both versions of the interface.
var usages = []struct {
	limit, used string
	cached      []string
}{
	{"memory.max", "memory.current", []string{"inactive_file", "active_file"}},
	{"memory.limit_in_bytes", "memory.usage_in_bytes", []string{"total_inactive_file", "total_active_file"}},
}

func number(content string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(content), 10, 64)
	return n, err == nil // "max" is none
}

// entry finds the number behind a name in a file of lines.
func entry(content, name string) (int64, bool) {
	for line := range strings.Lines(content) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			return number(fields[1])
		}
	}
	return 0, false
}
