package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// The limit that counts is the lowest of the machine's and of those of the process's own control groups and the ones above
// them, in either version, whatever part of the tree a container sees.
func TestLimit(t *testing.T) {
	const (
		unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
		first   = "33 23 0:29 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory\n34 23 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		docker  = "33 23 0:29 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
	)
	for name, c := range map[string]struct {
		files map[string]string
		want  int64 // 0: not known
	}{
		"nothing is told":                  {nil, 0},
		"the machine":                      {map[string]string{"proc/meminfo": "MemTotal:   2048 kB\n"}, 2 << 20},
		"the root has none":                {map[string]string{"proc/meminfo": "MemTotal: 2048 kB\n", "proc/self/cgroup": "0::/\n", "proc/self/mountinfo": unified}, 2 << 20},
		"no limit":                         {map[string]string{"proc/meminfo": "MemTotal: 2048 kB\n", "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": unified, "sys/fs/cgroup/a/memory.max": "max\n"}, 2 << 20},
		"the group's own":                  {map[string]string{"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": unified, "sys/fs/cgroup/a/b/memory.max": "1000\n", "sys/fs/cgroup/a/memory.max": "2000"}, 1000},
		"a parent's":                       {map[string]string{"proc/self/cgroup": "0::/a/b/c\n", "proc/self/mountinfo": unified, "sys/fs/cgroup/a/b/c/memory.max": "max", "sys/fs/cgroup/a/memory.max": "2000"}, 2000},
		"where it slows down":              {map[string]string{"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": unified, "sys/fs/cgroup/a/memory.max": "3000", "sys/fs/cgroup/a/memory.high": "2500"}, 2500},
		"a container's own":                {map[string]string{"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": unified, "sys/fs/cgroup/memory.max": "700"}, 700},
		"outside of what is shown":         {map[string]string{"proc/self/cgroup": "0::/../other\n", "proc/self/mountinfo": unified, "sys/fs/cgroup/memory.max": "700"}, 700},
		"the first version":                {map[string]string{"proc/self/cgroup": "4:cpu:/x\n5:memory:/u/v\n0::/\n", "proc/self/mountinfo": first, "sys/fs/cgroup/memory/u/memory.limit_in_bytes": "900", "sys/fs/cgroup/memory/u/v/memory.limit_in_bytes": "9223372036854771712"}, 900},
		"the first version in a container": {map[string]string{"proc/self/cgroup": "5:memory:/docker/abc\n", "proc/self/mountinfo": docker, "sys/fs/cgroup/memory/memory.limit_in_bytes": "800"}, 800},
		"another's":                        {map[string]string{"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": unified, "sys/fs/cgroup/b/memory.max": "1"}, 0},
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
		if got, known := limitUnder(root); got != c.want || known != (c.want > 0) {
			t.Errorf("%s: %d, %v; want %d", name, got, known, c.want)
		}
	}
	if got, known := Limit(); known && got < 1<<20 {
		t.Errorf("this process may use %d bytes", got)
	}
}
