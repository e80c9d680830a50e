package watch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// notifier is told of changes by the operating system.
type notifier struct {
	roots     []string
	heartbeat time.Duration

	folders *folders
	events  []raw
}

var _ source = (*notifier)(nil)

func (n *notifier) run(ctx context.Context, out chan<- []raw) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("starting to watch: %w", err)
	}
	queue := newQueue()
	drained := make(chan struct{})
	go func() { queue.drain(w); close(drained) }()
	both := newWatches(w, queue)
	defer func() { both.Close(); w.Close(); <-drained }()
	n.folders = newFolders(ctx, both, n.roots...)
	for _, root := range n.roots {
		n.folders.enter(root, nil)
	}
	n.report(raw{full: true})
	return n.convert(ctx, queue, out)
}

// convert turns the system's events into raw ones until ctx ends.
func (n *notifier) convert(ctx context.Context, queue *queue, out chan<- []raw) error {
	beat := time.NewTicker(n.heartbeat)
	defer beat.Stop()
	for {
		if n.folders.err != nil {
			return n.folders.err
		}
		if len(n.events) > 0 && !send(ctx, out, n.events) {
			return ctx.Err()
		}
		n.events = nil
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-beat.C:
			begun := time.Now()
			n.look()
			beat.Reset(untilNext(n.heartbeat, time.Since(begun)))
		case <-queue.signal:
			n.digest(queue.take())
		}
	}
}

// sparing bounds what looks take of a processor: a hundredth of it, as long as that keeps nobody waiting for more than longest.
const (
	sparing = 100
	longest = 5 * time.Second
)

// untilNext is the time from the end of one look to the next one.
func untilNext(heartbeat, took time.Duration) time.Duration {
	return max(heartbeat, breather*took, min(sparing*took, longest))
}

func (n *notifier) report(e raw) { n.events = append(n.events, e) }

// digest converts a batch. After a loss of events every folder is looked at
// again, so that none made or replaced in the meantime stays unwatched.
func (n *notifier) digest(b batch) {
	for _, e := range b.events {
		if n.folders.ctx.Err() != nil {
			return
		}
		for _, path := range n.folders.names(e.Name) {
			n.event(path, e.Op)
		}
	}
	for _, closed := range b.closed {
		if n.folders.ctx.Err() != nil {
			return
		}
		for _, path := range n.folders.names(closed) {
			n.closed(path)
		}
	}
	if b.lost {
		n.report(raw{full: true})
		n.folders.missed()
		for _, root := range n.roots {
			n.folders.enter(root, n.fresh)
		}
		n.folders.renamed()
	}
}

// closed reports a file that was closed, if it is another than was seen last.
// After an ordinary write it is not: that has sent an event of its own.
func (n *notifier) closed(path string) {
	if n.folders.changed(path) {
		n.report(raw{path: path})
	}
}

// event converts one event for one of the names of what it is about.
func (n *notifier) event(path string, op fsnotify.Op) {
	dir := n.folders.watched(path)
	if op.Has(fsnotify.Create) || op.Has(fsnotify.Remove) || op.Has(fsnotify.Rename) {
		dir = n.renew(path) || dir
	} else {
		n.folders.saw(path)
	}
	n.report(raw{path: path, dir: dir, fresh: dir && op.Has(fsnotify.Create), full: slices.Contains(n.roots, path)})
}

// renew looks again at a name that stands for something else now, or for
// nothing, and reports whether that is a folder. A folder that was moved would
// go on reporting under its old name if it were not left.
func (n *notifier) renew(path string) bool {
	n.folders.leave(path)
	dir := n.folders.enter(path, func(f found) {
		if f.path != path {
			n.fresh(f)
		}
	})
	n.folders.renamed()
	return dir
}

// fresh reports what was found in a folder that has just appeared: its
// content may have been written before the watch was set.
func (n *notifier) fresh(f found) {
	n.report(raw{path: f.path, dir: f.info.IsDir(), fresh: true})
}

// look asks for what sends no events: roots that were missing or have been
// replaced, files behind links, whose folders are not watched, and files that
// are written through a mapping which is still there.
func (n *notifier) look() {
	for _, root := range n.roots {
		if n.folders.replaced(root) {
			n.report(raw{full: true})
			n.renew(root)
		}
	}
	for _, path := range n.folders.moved() {
		was := n.folders.watched(path)
		n.report(raw{path: path, dir: n.renew(path) || was})
	}
	for _, path := range n.folders.written() {
		n.report(raw{path: path})
	}
}
