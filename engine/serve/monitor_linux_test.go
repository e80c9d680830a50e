package serve_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// While the server runs, one of its threads wakes up later than the others: Go's monitor.
func TestMonitorRests(t *testing.T) {
	p := launch(t, nil, nil)
	defer p.stop(t)
	p.watch(t) // it has started
	folders, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		t.Fatal(err)
	}
	late := map[string]int{}
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join("/proc", filepath.Base(folder), "timerslack_ns"))
		if os.IsPermission(err) {
			t.Skip("only with CAP_SYS_NICE the system tells how late timers of other threads are")
		}
		late[strings.TrimSpace(string(text))]++
	}
	if late["500000"] != 1 {
		t.Errorf("of %d threads, by nanoseconds that their timers may be late: %v", len(folders), late)
	}
}
