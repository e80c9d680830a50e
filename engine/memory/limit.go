package memory

import "strconv"

// Limit is how many bytes this process may use at most. It is false where the system does not tell.
func Limit() (int64, bool) { return limitUnder("/") }

// limitUnder is Limit with another folder in place of the root of the file system.
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

// least is the smallest of the figures that are known.
type least struct {
	bytes int64
	known bool
}

func (l *least) note(bytes int64) {
	if !l.known || bytes < l.bytes {
		l.bytes, l.known = bytes, true
	}
}

// number reads a file that holds one number. "max" stands for no limit and is none.
func number(content string) (int64, bool) {
	n, err := strconv.ParseInt(content, 10, 64)
	return n, err == nil
}
