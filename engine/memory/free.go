package memory

import "strings"

// Free is how many bytes this process may still take. It is false where the system does not tell.
func Free() (int64, bool) { return freeUnder("/") }

// freeUnder is Free with another folder in place of the root of the file system.
func freeUnder(root string) (int64, bool) {
	var least least
	if n, ok := entry(text(root, "proc/meminfo"), "MemAvailable:"); ok {
		least.note(n << 10)
	}
	for _, group := range groups(root) {
		for _, limit := range group.limits(root) {
			if used, ok := group.used(root, limit.folder); ok {
				least.note(max(limit.bytes-used, 0))
			}
		}
	}
	return least.bytes, least.known
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
