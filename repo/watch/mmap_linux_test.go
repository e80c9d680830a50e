package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

const mapped = "m/1/model.onnx"

// TestMappedWrite: a write through a mapping is told once the file is closed, in a repository of thousands of files and whether
// the mapping or the descriptor goes first. No heartbeat helps.
func TestMappedWrite(t *testing.T) {
	dir, timing := sample(t), *quick()
	timing.Interval = 2 * deadline
	put(t, dir, mapped, "the old content")
	for i := range 5000 {
		put(t, dir, fmt.Sprintf("many/1/assets%d/file%d", i%50, i), "x")
	}
	up := run(t, New([]string{dir}, Options{Mode: Notify, Timing: &timing}))
	full(t, up)
	for _, order := range []string{"descriptor last", "mapping last"} {
		write := openMapping(t, filepath.Join(dir, mapped), order == "mapping last")
		write("the content that is " + order)
		seen := await(t, up, dir, mapped)
		for _, path := range seen {
			if path != mapped && path != "alias/1/model.onnx" { // the same file
				t.Errorf("%s: %s is told too", order, path)
			}
		}
	}
}

// TestMappedWriteWithoutClosings: the heartbeat finds it where the system has no room to tell.
func TestMappedWriteWithoutClosings(t *testing.T) {
	dir := sample(t)
	put(t, dir, mapped, "the old content")
	n := &notifier{roots: []string{dir}, folders: newFolders(t.Context(), &watches{events: &exhausted{left: 1000}}, dir)}
	n.folders.enter(dir, nil)
	openMapping(t, filepath.Join(dir, mapped), false)("the new content")
	n.look()
	if !slices.ContainsFunc(n.events, func(e raw) bool { return e.path == filepath.Join(dir, mapped) }) {
		t.Errorf("told %v", n.events)
	}
}

// openMapping maps a file; write writes through the mapping, and closes both.
func openMapping(t *testing.T, path string, mappingLast bool) (write func(text string)) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	check(t, err)
	data, err := unix.Mmap(int(f.Fd()), 0, 15, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	check(t, err)
	return func(text string) {
		copy(data, text)
		if mappingLast {
			check(t, f.Close())
			check(t, unix.Munmap(data))
			return
		}
		check(t, unix.Munmap(data))
		check(t, f.Close())
	}
}

// TestClosedAfterAnOrdinaryWrite: the write was told, so the closing is not.
func TestClosedAfterAnOrdinaryWrite(t *testing.T) {
	dir := sample(t)
	path := filepath.Join(dir, "m/config.pbtxt")
	n := &notifier{roots: []string{dir}, folders: newFolders(t.Context(), &exhausted{left: 1000}, dir)}
	n.folders.enter(dir, nil)
	put(t, dir, "m/config.pbtxt", "a longer text")
	n.digest(batch{events: []fsnotify.Event{{Name: path, Op: fsnotify.Write}}})
	told := len(n.events)
	n.digest(batch{closed: []string{path, filepath.Join(dir, "m/.config.pbtxt.swp"), filepath.Join(dir, "gone")}})
	if told == 0 || len(n.events) != told {
		t.Errorf("%d events for the write, then %v", told, n.events[told:])
	}
	put(t, dir, "m/config.pbtxt", "another text, of which nothing was told")
	n.digest(batch{closed: []string{path}})
	if len(n.events) != told+2 { // m is alias as well
		t.Errorf("a write that sent no event: %v", n.events[told:])
	}
}

// room is a number of watches for which two systems compete.
type room struct{ left int }

// renter is one of them; it gives its watches back when it is closed.
type renter struct {
	room   *room
	has    int
	closed bool
}

func (r *renter) Add(string) error {
	if r.room.left == 0 {
		return syscall.ENOSPC
	}
	r.room.left--
	r.has++
	return nil
}

func (r *renter) Remove(string) error { return nil }

func (r *renter) Close() error {
	r.room.left += r.has
	r.has, r.closed = 0, true
	return nil
}

// TestClosingsGiveWay: where there is not room for both, closings go, and fsnotify watches as many folders as without them.
func TestClosingsGiveWay(t *testing.T) {
	for left := range 12 {
		shared := &room{left: left}
		events, closings := &renter{room: shared}, &renter{room: shared}
		w := &watches{events: events, closings: closings}
		watched := 0
		for range 6 {
			if w.Add("folder") == nil {
				watched++
			}
		}
		if watched != min(left, 6) || closings.closed != (left < 12) || events.closed {
			t.Errorf("room for %d: %d watched, %d by fsnotify, closings %+v", left, watched, events.has, closings)
		}
	}
}

// TestClosingsEnd: Close ends the reader, and what is asked afterwards fails.
func TestClosingsEnd(t *testing.T) {
	q := newQueue()
	c, err := newClosings(q)
	check(t, err)
	dir := t.TempDir()
	check(t, c.Add(dir))
	put(t, dir, "file", "x")
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	select {
	case <-q.signal:
	case <-ctx.Done():
		t.Fatal("nothing was told")
	}
	if got := q.take().closed; !slices.Equal(got, []string{filepath.Join(dir, "file")}) {
		t.Errorf("told %v", got)
	}
	check(t, c.Remove(dir))
	check(t, c.Close())
	if err := c.Add(dir); err == nil {
		t.Error("a folder is watched after the end")
	}
}

// TestClosingsFollowNames: a folder that has another name now is told by that one, and one that is gone is forgotten.
func TestClosingsFollowNames(t *testing.T) {
	q := newQueue()
	made, err := newClosings(q)
	check(t, err)
	n := made.(*inotify)
	t.Cleanup(func() { _ = n.Close() })
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	check(t, os.Mkdir(a, 0o755))
	check(t, n.Add(a))
	check(t, os.Rename(a, b))
	check(t, n.Add(b))
	check(t, n.Remove(a))
	put(t, dir, "b/file", "x")
	<-q.signal
	if got := q.take().closed; !slices.Equal(got, []string{filepath.Join(b, "file")}) {
		t.Errorf("told %v", got)
	}
	check(t, os.RemoveAll(b))
	check(t, n.Add(dir)) // its events come behind the end of the other's
	put(t, dir, "file", "x")
	<-q.signal
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.paths) != 1 || len(n.numbers) != 1 {
		t.Errorf("watched: %v, %v", n.paths, n.numbers)
	}
}
