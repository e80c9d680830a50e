package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// What is free is the least that the machine and the control groups leave; what the system keeps of files counts as free.
func TestFree(t *testing.T) {
	const (
		unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
		first   = "33 23 0:29 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory\n"
		machine = "MemTotal:   4096 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n"
	)
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
		known bool
	}{
		"nothing is told": {nil, 0, false},
		"the machine":     {map[string]string{"proc/meminfo": machine}, 2 << 20, true},
		"no limit": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": unified,
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "5\n"}, 2 << 20, true},
		"a parent's": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": unified,
			"sys/fs/cgroup/a/b/memory.max": "900000\n", "sys/fs/cgroup/a/b/memory.current": "100000\n",
			"sys/fs/cgroup/a/memory.max": "800000\n", "sys/fs/cgroup/a/memory.current": "500000\n",
			"sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 1000\nactive_file 200\n"}, 301200, true},
		"where it slows down": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": unified,
			"sys/fs/cgroup/a/memory.max": "900000\n", "sys/fs/cgroup/a/memory.high": "400000\n", "sys/fs/cgroup/a/memory.current": "100000\n"}, 300000, true},
		"the first version": {map[string]string{"proc/self/cgroup": "5:memory:/u\n", "proc/self/mountinfo": first,
			"sys/fs/cgroup/memory/u/memory.limit_in_bytes": "700", "sys/fs/cgroup/memory/u/memory.usage_in_bytes": "600",
			"sys/fs/cgroup/memory/u/memory.stat": "total_inactive_file 50\n"}, 150, true},
		"a limit above the machine's memory": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "5:memory:/u\n", "proc/self/mountinfo": first,
			"sys/fs/cgroup/memory/u/memory.limit_in_bytes": "9223372036854771712", "sys/fs/cgroup/memory/u/memory.usage_in_bytes": "9223372036854771712"}, 2 << 20, true},
		"more than its limit": {map[string]string{"proc/self/cgroup": "5:memory:/u\n", "proc/self/mountinfo": first,
			"sys/fs/cgroup/memory/u/memory.limit_in_bytes": "700", "sys/fs/cgroup/memory/u/memory.usage_in_bytes": "800"}, 0, true},
	} {
		root := t.TempDir()
		for path, content := range c.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, known := freeUnder(root); got != c.want || known != c.known {
			t.Errorf("%s: %d, %v; want %d, %v", name, got, known, c.want, c.known)
		}
	}
}
