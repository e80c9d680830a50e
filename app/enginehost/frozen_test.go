//go:build unix

package enginehost_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"conch/app/enginehost"
	"conch/engine/kserve/kservepb"
)

// freezes starts an engine whose silence is noticed soon.
func freezes(t *testing.T) (*enginehost.Host, *recorder) {
	h, r := startWith(t, enginehost.Options{Silence: 2 * time.Second}, "")
	r.until(t, "all are loaded", func() bool { return len(r.loaded()) == 3 })
	return h, r
}

func (r *recorder) untilState(t *testing.T, want enginehost.State) enginehost.Status {
	t.Helper()
	var last enginehost.Status
	r.until(t, "its state is another", func() bool {
		last = r.lastStatus()
		return last.State == want
	})
	return last
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

func infer(ctx context.Context, h *enginehost.Host, id string) error {
	client, err := h.Client()
	if err != nil {
		return err
	}
	_, err = client.ModelInfer(ctx, &kservepb.ModelInferRequest{ModelName: "digits", Id: id})
	return err
}

// When the engine's process is stopped, people are told, running and new calls end. When the process
// continues, the engine is ready again.
func TestFrozenEngine(t *testing.T) {
	h, r := freezes(t)
	pid := h.Status().PID
	under := make(chan error, 1)
	go func() { under <- infer(t.Context(), h, "endless") }()
	signal(t, pid, syscall.SIGSTOP)
	s := r.untilState(t, enginehost.Silent)
	if s.PID != pid || !strings.Contains(s.Reason, "does not answer") {
		t.Errorf("status %+v", s)
	}
	if _, err := os.Stat("/proc/self/stat"); err == nil && !strings.Contains(s.Reason, "kill -CONT") {
		t.Errorf("it is not told that the process was stopped: %q", s.Reason)
	}
	for _, err := range []error{<-under, infer(t.Context(), h, "later")} {
		if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "The engine has not answered for 2 s, so the request was ended. Restart the engine") {
			t.Errorf("a call to a frozen engine: %v", err)
		}
	}
	signal(t, pid, syscall.SIGCONT)
	r.untilState(t, enginehost.Ready)
	if err := infer(t.Context(), h, "again"); err != nil {
		t.Errorf("after it went on: %v", err)
	}
	if h.Status().PID != pid || h.Status().Restarts != 0 {
		t.Errorf("it was started again: %+v", h.Status())
	}
}

// A frozen engine is restarted on request, with what was loaded. That does not count as a failure.
func TestRestartOfAFrozenEngine(t *testing.T) {
	h, r := freezes(t)
	for life := range 8 { // more often than it may fail
		pid := h.Status().PID
		if life == 0 {
			signal(t, pid, syscall.SIGSTOP)
			r.untilState(t, enginehost.Silent)
		}
		h.Restart()
		r.until(t, "another runs", func() bool { s := r.lastStatus(); return s.State == enginehost.Ready && s.PID != pid })
		r.until(t, "all are loaded again", func() bool { return slices.Equal(r.loaded(), []string{"add_sub", "digits", "poison"}) })
		if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
			t.Errorf("process %d is still there: %v", pid, err)
		}
	}
	for _, u := range r.seen() {
		if u.Status != nil && u.Status.State == enginehost.Restarting && !u.Status.Asked {
			t.Errorf("a restart that was asked for is told as a failure: %+v", u.Status)
		}
	}
}

// An engine that is not restarted any more is started again on request.
func TestRestartOfAStoppedEngine(t *testing.T) {
	h, r := start(t, "refuse")
	r.untilState(t, enginehost.Stopped)
	h.Restart()
	r.until(t, "it is tried again", func() bool { return r.lastStatus().Restarts > 0 })
}

// Close does not wait for a frozen engine.
func TestCloseOfAFrozenEngine(t *testing.T) {
	h, r := freezes(t)
	pid := h.Status().PID
	signal(t, pid, syscall.SIGSTOP)
	r.untilState(t, enginehost.Silent)
	began := time.Now()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("closing took %v", took)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("process %d is still there: %v", pid, err)
	}
}
