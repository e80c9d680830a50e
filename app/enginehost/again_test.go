//go:build unix

package enginehost_test

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"conch/app/enginehost"
)

// clock is a clock that a test sets. Waits are recorded and take no time.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	waited []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) wait(_ context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waited = append(c.waited, d)
	return nil
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// killed returns a host whose engine is killed this number of times, each time after it has served
// everything for a while.
func killed(t *testing.T, times int, after time.Duration) (*recorder, []time.Duration) {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	h, r := startWith(t, enginehost.Options{Now: c.Now, Wait: c.wait}, "")
	for life := range times {
		r.until(t, "everything is loaded again", func() bool { return r.restored() == life+1 })
		c.pass(after)
		signal(t, h.Status().PID, syscall.SIGKILL)
	}
	r.until(t, "the last is dealt with", func() bool { return r.restored() == times+1 || r.lastStatus().State == enginehost.Stopped })
	c.mu.Lock()
	defer c.mu.Unlock()
	return r, c.waited
}

// restored counts the runs of the engine in which everything was loaded.
func (r *recorder) restored() (n int) {
	for _, u := range r.all {
		if u.Restored {
			n++
		}
	}
	return n
}

// TestEngineThatServedWellComesBackAtOnce: also when it is killed often.
func TestEngineThatServedWellComesBackAtOnce(t *testing.T) {
	r, waited := killed(t, 8, 3*time.Second)
	if len(waited) != 8 || slices.Max(waited) != 0 {
		t.Errorf("waited %v", waited)
	}
	if s := r.status(); s.State != enginehost.Ready || s.Restarts != 8 {
		t.Errorf("status %+v", s)
	}
}

// TestCrashLoopIsBounded: an engine that ends soon after each start is started less and less often,
// and finally not any more.
func TestCrashLoopIsBounded(t *testing.T) {
	r, waited := killed(t, 6, 2*time.Second)
	if want := []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}; !slices.Equal(waited, want) {
		t.Errorf("waited %v", waited)
	}
	if s := r.status(); s.State != enginehost.Stopped {
		t.Errorf("status %+v", s)
	}
}
