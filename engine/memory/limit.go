package memory

import "strconv"

// Limit returns the maximum memory of this process in bytes; false when that is not known.
func Limit() (int64, bool) { return limitUnder("/") }

// limitUnder is Limit for another root of the file system.
func limitUnder(root string) (int64, bool) {
	var least least
	if n, ok := entry(text(root, "proc/meminfo"), "MemTotal:"); ok {
		least.note(n << 10)
	}
	for _, group := range groups(root) {
		for _, limit := range group.limits(root) {
			least.note(limit.bytes)
		}
	}
	return least.bytes, least.known
}

// least is the smallest known number.
type least struct {
	bytes int64
	known bool
}

func (l *least) note(bytes int64) {
	if !l.known || bytes < l.bytes {
		l.bytes, l.known = bytes, true
	}
}

// number parses the content of a file. It returns false for "max", which means no limit.
func number(content string) (int64, bool) {
	n, err := strconv.ParseInt(content, 10, 64)
	return n, err == nil
}
