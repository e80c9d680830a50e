package overlay

import (
	"context"
	"sync"
	"time"
)

// Shelf is where drafts outlive the program.
type Shelf interface {
	// Keep writes drafts and removes others, but where the shelf has a newer version; all or nothing.
	Keep(ctx context.Context, drafts []Draft, removed []Removal) error
	// Load gives the drafts of a root.
	Load(ctx context.Context, root string) ([]Draft, error)
}

// Removal says that there is no draft of a file any more, and the version of that change.
type Removal struct {
	Key
	Version uint64
}

// keepAfter is how long changes are collected: short enough to lose less than a second of typing.
const keepAfter = 400 * time.Millisecond

// retryAfter is how long a shelf that could not be written is left alone.
const retryAfter = 2 * time.Second

// Keeper writes what changes in an overlay to a shelf.
type Keeper struct {
	overlay *Overlay
	shelf   Shelf
	// report hears of each attempt: an error, or nil.
	report func(error)
	stop   context.CancelFunc
	done   chan struct{}

	flushMu sync.Mutex // one flush at a time, so that the shelf hears of changes in their order
}

// Keep begins to write; report is called after each attempt, with nil when it succeeded.
func Keep(o *Overlay, shelf Shelf, report func(error)) *Keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &Keeper{overlay: o, shelf: shelf, report: report, stop: stop, done: make(chan struct{})}
	go k.run(ctx)
	return k
}

// Close writes what is left and ends.
func (k *Keeper) Close() error {
	k.stop()
	<-k.done
	return k.Flush(context.Background())
}

func (k *Keeper) run(ctx context.Context) {
	defer close(k.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.overlay.wake:
		}
		for wait := keepAfter; ; wait = retryAfter {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			err := k.Flush(ctx)
			if ctx.Err() != nil {
				return
			}
			k.report(err)
			if err == nil {
				break
			}
		}
	}
}

// Bring takes the drafts of a root from the shelf into the overlay, and gives all that it has of the root then.
func (k *Keeper) Bring(ctx context.Context, root string) ([]Draft, error) {
	list, err := k.shelf.Load(ctx, root)
	k.overlay.Restore(list)
	return k.overlay.In(root), err
}

// Away writes what is left, and lets the drafts of a root go from memory.
func (k *Keeper) Away(ctx context.Context, root string) error {
	err := k.Flush(ctx)
	k.overlay.Forget(root)
	return err
}

// Flush writes what changed now.
func (k *Keeper) Flush(ctx context.Context) error {
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	drafts, removed := k.overlay.take()
	if len(drafts)+len(removed) == 0 {
		return nil
	}
	err := k.shelf.Keep(ctx, drafts, removed)
	if err != nil {
		k.overlay.giveBack(drafts, removed)
	}
	return err
}

// take gives what changed since the last time.
func (o *Overlay) take() (drafts []Draft, removed []Removal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, version := range o.dirty {
		if d := o.drafts[key]; d != nil {
			drafts = append(drafts, *d)
		} else {
			removed = append(removed, Removal{key, version})
		}
	}
	o.dirty = map[Key]uint64{}
	return drafts, removed
}

// giveBack marks again what could not be kept, unless it changed meanwhile, and brings back what was forgotten.
func (o *Overlay) giveBack(drafts []Draft, removed []Removal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range drafts {
		if o.dirty[d.Key] > d.Version {
			continue
		}
		o.dirty[d.Key] = d.Version
		if o.drafts[d.Key] == nil {
			o.drafts[d.Key] = &d
			o.bytes += d.size()
		}
	}
	for _, r := range removed {
		o.dirty[r.Key] = max(o.dirty[r.Key], r.Version)
	}
}

// Rewrite has every draft written again, for a shelf that lost what it had.
func (o *Overlay) Rewrite() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, d := range o.drafts {
		o.mark(key, d.Version)
	}
}
