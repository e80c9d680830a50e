package watch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// scripted is a source that says what a test tells it to.
type scripted struct {
	batches chan []raw
	fail    error
}

func (s *scripted) run(ctx context.Context, out chan<- []raw) error {
	if !send(ctx, out, []raw{{full: true}}) {
		return ctx.Err()
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case batch, ok := <-s.batches:
			if !ok {
				return s.fail
			}
			send(ctx, out, batch)
		}
	}
}

func still(string) look { return look{exists: true, size: 10} }

// TestLoopSlowReceiver: a receiver that takes its time gets one merged
// change, and holds nobody up.
func TestLoopSlowReceiver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &scripted{batches: make(chan []raw)}
		up := make(chan Change)
		l := &loop{settler: newSettler([]string{"/r"}, LocalTiming(), still), up: up}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- l.run(ctx, src) }()

		src.batches <- []raw{{path: "/r/a/config.pbtxt"}}
		<-time.After(time.Minute)
		src.batches <- []raw{{path: "/r/b/config.pbtxt"}, {path: "/r/b/1", dir: true}}
		<-time.After(time.Minute)
		src.batches <- []raw{{path: "/r/c/config.pbtxt"}}
		synctest.Wait()
		c := <-up
		want := []string{"/r/a/config.pbtxt", "/r/b/1", "/r/b/config.pbtxt"}
		if !c.Full || !slices.Equal(c.Paths, want) || !slices.Equal(c.Busy, []string{"/r/c"}) {
			t.Errorf("got %+v", c)
		}
		start := time.Now()
		c = <-up
		if c.Full || !slices.Equal(c.Paths, []string{"/r/c/config.pbtxt"}) || time.Since(start) != LocalTiming().Small {
			t.Errorf("got %+v after %v", c, time.Since(start))
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("run = %v", err)
		}
	})
}

// TestFallBack: when the system has no watches left, polling goes on, and
// says why.
func TestFallBack(t *testing.T) {
	dir := t.TempDir()
	w := New([]string{dir}, Options{Mode: Notify, Timing: quick()})
	src := &scripted{batches: make(chan []raw), fail: syscall.ENOSPC}
	w.notifier = func() source { return src }
	up := run(t, w)
	if c := <-up; !c.Full || w.Status().Mode != Notify {
		t.Fatalf("got %+v, %+v", c, w.Status())
	}
	close(src.batches)
	if c := <-up; !c.Full {
		t.Fatalf("got %+v", c)
	}
	status := w.Status()
	if status.Mode != Poll || !strings.Contains(status.Why, "limit of watched folders") {
		t.Errorf("status = %+v", status)
	}
	put(t, dir, "m/config.pbtxt", "x")
	await(t, up, dir, "m/config.pbtxt")
}

// exhausted is a system with room for a few watches only.
type exhausted struct{ left int }

func (e *exhausted) Add(string) error {
	if e.left--; e.left < 0 {
		return syscall.ENOSPC
	}
	return nil
}

func (e *exhausted) Remove(string) error { return nil }

func TestFoldersReportTheLimit(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a/1/model.onnx", "x")
	put(t, dir, "b/1/model.onnx", "x")
	f := newFolders(t.Context(), &exhausted{left: 3})
	f.enter(dir, nil)
	if !errors.Is(f.err, syscall.ENOSPC) {
		t.Errorf("err = %v", f.err)
	}
}
