package watch

import (
	"context"
	"path/filepath"
	"sync"
)

// Change names what came to rest.
type Change struct {
	// Paths were touched: created, written, renamed or deleted. They are
	// absolute, sorted, and lie below the roots as those were given.
	Paths []string
	// Full asks to look at everything: watching has begun, events were lost,
	// or a root came or went.
	Full bool
	// Busy are paths that are still being written. A caller that looks at
	// everything does well to leave out the models they lie in.
	Busy []string
}

// Status says how the repository is being watched.
type Status struct {
	Mode Mode
	// Why says to a person why it is not fsnotify; empty if it is.
	Why string
}

// Mode is a way to watch.
type Mode string

// The modes. Auto is fsnotify where it works.
const (
	Auto   Mode = ""
	Notify Mode = "fsnotify"
	Poll   Mode = "polling"
)

// Options change how a Watcher works; the zero value is right for real use.
type Options struct {
	// Mode forces one way to watch. A forced Notify still falls back to
	// polling when the system has no watches left.
	Mode Mode
	// Timing replaces the times to wait, all of them.
	Timing *Timing
}

// Watcher watches some roots. Its Run may be called once.
type Watcher struct {
	roots   []string
	options Options

	// notifier makes the source of events, so that a test can let it fail.
	notifier func() source

	mu     sync.Mutex // guards status
	status Status
}

// New makes a Watcher of these folders, which need not exist yet.
func New(roots []string, options Options) *Watcher {
	w := &Watcher{options: options}
	for _, root := range roots {
		if abs, err := filepath.Abs(root); err == nil {
			root = abs
		}
		w.roots = append(w.roots, root)
	}
	w.notifier = func() source { return &notifier{roots: w.roots, heartbeat: w.timing().Interval} }
	w.status.Mode = Notify
	if options.Mode == Poll {
		w.status = Status{Poll, "polling was asked for"}
	} else if why := remote(w.roots); why != "" && options.Mode == Auto {
		w.status = Status{Poll, why}
	}
	return w
}

// Status says how the roots are watched at the moment. When it changes, a
// Full Change follows.
func (w *Watcher) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

func (w *Watcher) setStatus(s Status) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = s
}

// Run sends changes to up until ctx ends, and returns its error. It does not
// close up.
func (w *Watcher) Run(ctx context.Context, up chan<- Change) error {
	l := &loop{settler: newSettler(w.roots, w.timing(), until(ctx)), up: up}
	if w.Status().Mode == Notify {
		err := l.run(ctx, w.notifier())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.setStatus(Status{Poll, limitWords(err)})
	}
	l.settler.timing = w.timing()
	err := l.run(ctx, &poller{roots: w.roots, interval: w.timing().Interval})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// until looks at files for as long as ctx lasts. Of many thousands that have
// changed none keeps the end waiting.
func until(ctx context.Context) func(path string) look {
	return func(path string) look {
		if ctx.Err() != nil {
			return look{}
		}
		return lookAt(path)
	}
}

// timing: a drive over the network caches sizes and times, which look quiet
// while they are only old.
func (w *Watcher) timing() Timing {
	switch {
	case w.options.Timing != nil:
		return *w.options.Timing
	case w.options.Mode == Auto && w.Status().Mode == Poll && remote(w.roots) != "":
		return RemoteTiming()
	}
	return LocalTiming()
}
