//go:build !race

package store_test

import (
	"fmt"
	"sync"
	"testing"
)

// Two windows have one history and tidy it at the same time: every request is counted once.
func TestTwoWindowsTidyOneHistory(t *testing.T) {
	dir := t.TempDir()
	now := fillYear(t, dir)
	var all sync.WaitGroup
	for range 2 {
		s, err := openYear(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		all.Go(func() {
			for s.TidyMore(t.Context()) {
			}
		})
	}
	all.Wait()
	last, err := openYear(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = last.Close() })
	for last.TidyMore(t.Context()) { // where one of the two met a lock, it would try again with its next sample
	}
	for _, step := range []int64{10, 300, 3600} {
		got := count(t, last, fmt.Sprintf(`SELECT sum(requests) FROM metric WHERE step = %d AND series = 2 AND time >= %d AND time < %d`, step, now-unrolled, now))
		if got != yearRate*unrolled {
			t.Errorf("%d requests in rows of %d s, want %d", got, step, yearRate*unrolled)
		}
	}
}
