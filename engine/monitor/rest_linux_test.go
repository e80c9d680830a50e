package monitor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// One thread rests longer, on which no goroutine ever runs.
func TestRest(t *testing.T) {
	const longer = 123 * time.Microsecond
	if err := Rest(longer); err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("/proc/self/task/*")
	if err != nil {
		t.Fatal(err)
	}
	var resting []string
	for _, folder := range folders {
		id := filepath.Base(folder)
		text, err := os.ReadFile("/proc/" + id + "/timerslack_ns")
		if os.IsPermission(err) {
			t.Skip("only with CAP_SYS_NICE the system tells how late timers of other threads are")
		}
		if strings.TrimSpace(string(text)) == fmt.Sprint(longer.Nanoseconds()) {
			resting = append(resting, id)
		}
	}
	if len(resting) != 1 {
		t.Fatalf("of the threads %v these rest: %v", folders, resting)
	}
	for _, id := range goThreads(len(folders) + 1) {
		if fmt.Sprint(id) == resting[0] {
			t.Errorf("goroutines run on thread %d, which rests", id)
		}
	}
}

// goThreads has some goroutines run on threads of their own at the same time, and returns those.
func goThreads(n int) (ids []int) {
	var all, there sync.WaitGroup
	var mu sync.Mutex
	there.Add(n)
	for range n {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			mu.Lock()
			ids = append(ids, syscall.Gettid())
			mu.Unlock()
			there.Done()
			there.Wait()
		})
	}
	all.Wait()
	return ids
}
