package repo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"conch/repo/scan"
	"conch/repo/watch"
)

// Options change how a Repository works; the zero value is right for use.
type Options struct {
	// Watch changes how files are watched.
	Watch watch.Options
	// Still leaves the files unwatched: only Refresh and Touch look at them.
	Still bool
}

// Repository is one or several model repositories that are open.
type Repository struct {
	scanner *scan.Scanner
	watcher *watch.Watcher
	outside *outside
	cancel  context.CancelFunc
	running sync.WaitGroup

	// scanning is held while a new Index is made, so that each is made from
	// the one before.
	scanning sync.Mutex
	current  atomic.Pointer[scan.Index]
	hub      hub
}

// NotARepositoryError says why a path cannot be opened.
type NotARepositoryError struct{ scan.Diagnosis }

func (e *NotARepositoryError) Error() string {
	if e.Suggestion == "" {
		return e.Sentence
	}
	return fmt.Sprintf("%s Try %s.", e.Sentence, e.Suggestion)
}

// Open scans the repositories at these paths and keeps watching them until
// ctx ends or Close is called. Every path has to be a folder that can be
// read; whether it looks like a repository, scan.Diagnose tells.
func Open(ctx context.Context, roots []string, options Options) (*Repository, error) {
	if len(roots) == 0 {
		return nil, errors.New("no model repository was named")
	}
	for _, root := range roots {
		if d := scan.Diagnose(root); !d.Openable() {
			return nil, &NotARepositoryError{d}
		}
	}
	return open(ctx, roots, options)
}

func open(ctx context.Context, roots []string, options Options) (*Repository, error) {
	opening := ctx
	ctx, cancel := context.WithCancel(ctx)
	r := &Repository{scanner: scan.New(roots...).WithContext(ctx), cancel: cancel}
	r.watcher = watch.New(r.scanner.Roots(), options.Watch)
	r.outside = &outside{watcher: watch.NewFiles(options.Watch)}
	r.current.Store(r.scanner.Scan(nil))
	if err := opening.Err(); err != nil { // what was found is not all
		cancel()
		return nil, fmt.Errorf("reading the repository: %w", err)
	}
	if !options.Still {
		changes, outside := make(chan watch.Change), make(chan watch.Change)
		r.running.Go(func() { _ = r.watcher.Run(ctx, changes) })
		r.running.Go(func() { _ = r.outside.watcher.Run(ctx, outside) })
		r.running.Go(func() { r.follow(ctx, changes, outside) })
	}
	return r, nil
}

// None is a repository without folders: it has no models, and nothing is watched.
func None(ctx context.Context) (*Repository, error) { return open(ctx, nil, Options{Still: true}) }

// Current is the latest Index; it is never nil.
func (r *Repository) Current() *scan.Index { return r.current.Load() }

// Roots are the absolute paths of the repositories.
func (r *Repository) Roots() []string { return r.scanner.Roots() }

// Status says how the files are being watched.
func (r *Repository) Status() watch.Status { return r.watcher.Status() }

// Subscribe returns a channel that has the current Index at once, and every
// later one; of those that were not received in time only the latest. An
// Index is sent again when Status changed. The channel is closed by cancel
// and by Close.
func (r *Repository) Subscribe() (updates <-chan *scan.Index, cancel func()) {
	return r.hub.subscribe(r.Current)
}

// Refresh reads everything again, also what the watcher thinks is still being
// written, and returns the Index.
func (r *Repository) Refresh() *scan.Index {
	return r.update(func(prev *scan.Index) *scan.Index { return r.scanner.Scan(prev) })
}

// Touch reads again what lies at these absolute paths, without waiting for
// the watcher: for a caller that has just written there.
func (r *Repository) Touch(paths ...string) *scan.Index {
	return r.update(func(prev *scan.Index) *scan.Index { return r.scanner.Rescan(prev, paths) })
}

// Close stops watching, waits until that is done, and ends subscriptions.
func (r *Repository) Close() {
	r.cancel()
	r.running.Wait()
	r.hub.close()
}

// follow turns changes into new states.
func (r *Repository) follow(ctx context.Context, changes, outside <-chan watch.Change) {
	status := r.Status()
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-changes:
			r.update(func(prev *scan.Index) *scan.Index { return r.look(prev, c) })
		case c := <-outside:
			r.update(func(prev *scan.Index) *scan.Index { return r.outside.look(prev, c.Paths) })
		}
		if now := r.Status(); now != status {
			status = now
			r.hub.publish(r.Current)
		}
	}
}

func (r *Repository) look(prev *scan.Index, c watch.Change) *scan.Index {
	if c.Full {
		return r.scanner.Scan(prev, c.Busy...)
	}
	return r.scanner.Rescan(prev, c.Paths)
}

// update makes a new Index and tells everybody, if it is new.
func (r *Repository) update(look func(prev *scan.Index) *scan.Index) *scan.Index {
	r.scanning.Lock()
	defer r.scanning.Unlock()
	prev := r.Current()
	next := look(prev)
	if next != prev {
		r.current.Store(next)
		r.hub.publish(r.Current)
	}
	return next
}
