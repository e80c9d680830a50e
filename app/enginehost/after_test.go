//go:build unix

package enginehost_test

import (
	"testing"

	"conch/app/enginehost"
)

// TestAfter holds the first engine back until the window has shown itself.
func TestAfter(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin func(h *enginehost.Host, turn chan struct{})
	}{
		{"its turn comes", func(_ *enginehost.Host, turn chan struct{}) { close(turn) }},
		{"a person asks for it", func(h *enginehost.Host, _ chan struct{}) { h.Restart() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := make(chan struct{})
			h, r := startWith(t, enginehost.Options{After: turn}, "")
			r.until(t, "the engine is said to start", func() bool { return len(r.all) > 0 })
			if s := h.Status(); s.State != enginehost.Starting || s.PID != 0 {
				t.Fatalf("before its turn: %+v, want an engine that starts and has no process", s)
			}
			c.begin(h, turn)
			r.until(t, "the engine is ready", func() bool { return r.lastStatus().State == enginehost.Ready })
		})
	}
	t.Run("it is closed before its turn", func(t *testing.T) {
		h, r := startWith(t, enginehost.Options{After: make(chan struct{})}, "")
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if s := r.status(); s.State != enginehost.Stopped {
			t.Errorf("after the end: %+v, want stopped", s)
		}
	})
}
