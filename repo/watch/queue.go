package watch

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// queue takes the system's events at once and keeps them without limit. The
// kernel's own queue is short (fs.inotify.max_queued_events, 16,384), and a
// git checkout fills it while one event is being worked on.
type queue struct {
	// signal has room for one and says that take has something.
	signal chan struct{}

	mu sync.Mutex // guards what follows
	batch
}

// batch is what the system told since the last take.
type batch struct {
	events []fsnotify.Event
	// closed are files that are closed after they were open for writing.
	closed []string
	lost   bool
}

func newQueue() *queue { return &queue{signal: make(chan struct{}, 1)} }

// drain moves events into the queue until the watcher is closed.
func (q *queue) drain(w *fsnotify.Watcher) {
	events, errs := w.Events, w.Errors
	for events != nil || errs != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			q.add(e)
		case _, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			// Whatever went wrong, an overflow or worse: something is missing.
			q.lose()
		}
	}
}

func (q *queue) add(e fsnotify.Event) {
	if e.Name == "" {
		return
	}
	q.mu.Lock()
	// A copy in progress repeats itself thousands of times a second.
	if last := len(q.events) - 1; last < 0 || q.events[last].Name != e.Name || q.events[last].Op != e.Op {
		q.events = append(q.events, e)
	}
	q.mu.Unlock()
	q.wake()
}

func (q *queue) addClosed(path string) {
	q.mu.Lock()
	// A program that appends lines to a file may open it for each.
	if last := len(q.closed) - 1; last < 0 || q.closed[last] != path {
		q.closed = append(q.closed, path)
	}
	q.mu.Unlock()
	q.wake()
}

func (q *queue) lose() {
	q.mu.Lock()
	q.lost = true
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// take empties the queue.
func (q *queue) take() batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.batch
	q.batch = batch{}
	return taken
}
