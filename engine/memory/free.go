package memory

import "strings"

// Free returns how many more bytes this process may use; false when that is not known.
func Free() (int64, bool) { return freeUnder("/") }

// freeUnder is Free for another root of the file system.
func freeUnder(root string) (int64, bool) {
	var least least
	machine := text(root, "proc/meminfo")
	if n, ok := entry(machine, "MemAvailable:"); ok {
		least.note(n << 10)
	}
	total, known := entry(machine, "MemTotal:")
	for _, group := range groups(root) {
		for _, limit := range group.limits(root) {
			if known && limit.bytes >= total<<10 { // it leaves all that the machine has; version 1 tells of such a limit where there is none
				continue
			}
			if used, ok := group.used(root, limit.folder); ok {
				least.note(max(limit.bytes-used, 0))
			}
		}
	}
	return least.bytes, least.known
}

// entry returns the number that follows a name at the beginning of a line.
func entry(content, name string) (int64, bool) {
	for line := range strings.Lines(content) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == name {
			return number(fields[1])
		}
	}
	return 0, false
}
