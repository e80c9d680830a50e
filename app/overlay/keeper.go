package overlay

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Shelf stores drafts between runs of the program.
type Shelf interface {
	// Keep writes drafts and removes others. It skips those that the shelf has in a newer version. On
	// an error nothing is written.
	Keep(ctx context.Context, drafts []Draft, removed []Removal) error
	// Load returns the drafts of a root.
	Load(ctx context.Context, root string) ([]Draft, error)
}

// Recovery stores, in recovery files, the drafts that are not on the shelf. They outlive the program.
type Recovery interface {
	// Write replaces the drafts of a root and returns where they are. The old ones stay until the new
	// ones are written. Drafts that have not changed are written again only where a better place takes
	// them.
	Write(root string, drafts []RecoveryDraft) (Spot, error)
	// Read returns the drafts of a root that Write wrote, in this run or an earlier one, and where
	// they are.
	Read(root string) ([]RecoveryDraft, Spot, error)
	// Has reports whether what was last written or read of a root is still there. Others may remove
	// it.
	Has(root string) bool
	// Release ends the use of a root. Another program may use it then.
	Release(root string)
}

// Spot is where recovery files are.
type Spot struct {
	// Path is the file or the folder. "" means the usual place.
	Path string
	// ShortLived means that the files there do not survive a restart of the machine.
	ShortLived bool
}

// Removal says that a file has no draft any more. Its version is that of the change.
type Removal struct {
	Key
	Version uint64
}

// keepAfter is how long changes are collected before they are written. It is short, so that less than
// a second of typing can be lost.
const keepAfter = 400 * time.Millisecond

// retryAfter is the wait after a failed write to the shelf. What is typed meanwhile waits no longer
// than this.
const retryAfter = 800 * time.Millisecond

// Told are the functions that a keeper calls.
type Told struct {
	// Kept is called after each attempt to keep what changed. It gets the recovery files that are not
	// in the usual place, and an error when some draft is stored nowhere.
	Kept func(elsewhere []Spot, err error)
	// Late is called when the drafts of a root, which could not be read when it was opened, have been
	// read.
	Late func(root string)
}

// Keeper writes what changes in an overlay to a shelf. Drafts that the shelf refuses, or must not have
// yet, are written to recovery files.
type Keeper struct {
	overlay  *Overlay
	shelf    Shelf
	recovery Recovery
	told     Told
	stop     context.CancelFunc
	done     chan struct{}

	flushMu sync.Mutex // one flush at a time, so that the shelf gets the changes in their order
	// files lists by root what is in recovery files, and spots where they are.
	files map[string][]place
	spots map[string]Spot
}

// UnkeptError says which drafts are stored nowhere, and why. With no keys nothing is lost; then the
// copy of a text that was saved or discarded could not be removed, and may come back.
type UnkeptError struct {
	Keys []Key
	Err  error
}

func (e *UnkeptError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnkeptError) Unwrap() error { return e.Err }

// place is one version of a draft.
type place struct {
	Key
	version, over uint64
}

// Keep starts a Keeper.
func Keep(o *Overlay, shelf Shelf, recovery Recovery, told Told) *Keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &Keeper{overlay: o, shelf: shelf, recovery: recovery, told: told, stop: stop, done: make(chan struct{})}
	k.files, k.spots = map[string][]place{}, map[string]Spot{}
	go k.run(ctx)
	return k
}

// Close writes what is left and stops the keeper.
func (k *Keeper) Close() error {
	k.stop()
	<-k.done
	return k.Flush(context.Background())
}

// Settle writes what is left, and tries again until all of it is kept or ctx ends. Its error is that
// of the last Flush.
func (k *Keeper) Settle(ctx context.Context) error {
	for {
		err := k.Flush(context.WithoutCancel(ctx))
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryAfter):
		}
	}
}

func (k *Keeper) run(ctx context.Context) {
	defer close(k.done)
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.overlay.wake:
		}
		for wait := keepAfter; ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(wait):
			}
			err := k.Flush(ctx)
			if ctx.Err() != nil {
				return
			}
			elsewhere := k.elsewhere()
			k.told.Kept(elsewhere, err)
			k.bringLate(ctx)
			late := err != nil || len(elsewhere) > 0 || len(k.overlay.waiting()) > 0
			if !late && !k.overlay.isDirty() {
				break
			}
			wait = keepAfter // something was typed during the write
			if late {
				wait = retryAfter
			}
		}
	}
}

// Begin loads the drafts of a root from recovery files into the overlay. Nothing of the root is
// written to the shelf until Bring has read the shelf's drafts. On an error nothing is written to
// recovery files either, so that the files that could not be read stay.
func (k *Keeper) Begin(root string) error {
	k.overlay.expect(root)
	list, spot, err := k.recovery.Read(root)
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	k.files[root], k.spots[root] = places(list), spot
	k.overlay.Recover(list)
	if spot.Path != "" {
		k.overlay.rouse() // the flush reports where the files are, and moves them when a better place takes them
	}
	return err
}

// Bring loads the drafts of a root from the shelf into the overlay, and returns all drafts that the
// overlay has of the root then. A shelf that cannot be read is tried again until it can.
func (k *Keeper) Bring(ctx context.Context, root string) ([]Draft, error) {
	return k.bring(ctx, root, false)
}

func (k *Keeper) bring(ctx context.Context, root string, late bool) ([]Draft, error) {
	list, err := k.shelf.Load(ctx, root)
	if err != nil {
		k.overlay.rouse()
		return k.overlay.In(root), err
	}
	if k.overlay.Meet(root, list) && late {
		k.told.Late(root)
	}
	return k.overlay.In(root), nil
}

// bringLate loads the drafts that Bring could not read.
func (k *Keeper) bringLate(ctx context.Context) {
	for _, root := range k.overlay.waiting() {
		_, _ = k.bring(ctx, root, true)
	}
}

// Away writes what is left, and removes the drafts of a root from memory.
func (k *Keeper) Away(ctx context.Context, root string) error {
	err := k.Flush(ctx)
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	k.overlay.inRecovery(k.files[root])
	if k.overlay.Forget(root) {
		delete(k.files, root)
		delete(k.spots, root)
		k.recovery.Release(root)
	}
	return err
}

// elsewhere lists the places of recovery files other than the usual place, always in the same order.
func (k *Keeper) elsewhere() (spots []Spot) {
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	for _, spot := range k.spots {
		if spot.Path != "" && !slices.Contains(spots, spot) {
			spots = append(spots, spot)
		}
	}
	slices.SortFunc(spots, func(a, b Spot) int { return cmp.Compare(a.Path, b.Path) })
	return spots
}

// ShortLived lists the drafts that are only in places that do not survive a restart of the machine, and
// these places.
func (k *Keeper) ShortLived() (keys []Key, spots []Spot) {
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	for root, spot := range k.spots {
		if !spot.ShortLived {
			continue
		}
		for _, p := range k.files[root] {
			keys = append(keys, p.Key)
		}
		if !slices.Contains(spots, spot) {
			spots = append(spots, spot)
		}
	}
	return keys, spots
}

// Flush writes what changed: to the shelf, and what the shelf does not take to recovery files. It
// fails with an UnkeptError when a draft is in neither.
func (k *Keeper) Flush(ctx context.Context) error {
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	drafts, removed, roots := k.overlay.take()
	var refused error
	if len(drafts)+len(removed) > 0 {
		if refused = k.shelf.Keep(ctx, drafts, removed); refused != nil {
			k.overlay.giveBack(drafts, removed)
		} else {
			k.overlay.kept(drafts)
		}
	}
	for root := range k.files {
		roots[root] = true
	}
	var failed error
	var unkept []Key
	for root := range roots {
		keys, err := k.writeFiles(root, refused != nil)
		if err != nil {
			k.overlay.markAll(root)
			failed, unkept = errors.Join(failed, err), append(unkept, keys...)
		}
	}
	if failed != nil {
		return &UnkeptError{Keys: unkept, Err: errors.Join(refused, failed)}
	}
	return nil
}

// writeFiles needs flushMu. It writes to recovery files those drafts of a root that the shelf does not
// have, and no others. Drafts outside the usual place are passed to Recovery again each time, which
// moves them as soon as a better place takes them. On an error it returns the drafts that are neither
// on the shelf nor in a recovery file.
func (k *Keeper) writeFiles(root string, refused bool) (unkept []Key, err error) {
	list := k.overlay.unshelved(root, refused)
	now := places(list)
	if slices.Equal(now, k.files[root]) && k.spots[root].Path == "" {
		return nil, nil
	}
	spot, err := k.recovery.Write(root, list)
	if err != nil {
		if !k.recovery.Has(root) {
			k.files[root] = nil
			delete(k.spots, root)
		}
		for _, p := range now {
			if !slices.Contains(k.files[root], p) {
				unkept = append(unkept, p.Key)
			}
		}
		return unkept, err
	}
	k.files[root], k.spots[root] = now, spot
	if len(now) == 0 {
		delete(k.files, root)
		delete(k.spots, root)
	}
	return nil, nil
}

func places(list []RecoveryDraft) []place {
	var all []place
	for _, p := range list {
		all = append(all, place{p.Key, p.Version, p.Over})
	}
	return all
}

// take returns what changed since the last call and may be on the shelf, and the roots with changes.
func (o *Overlay) take() (drafts []Draft, removed []Removal, roots map[string]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	roots = map[string]bool{}
	for key, version := range o.dirty {
		roots[key.Root] = true
		d, rival := o.drafts[key], o.rivals[key]
		switch {
		case !o.loaded[key.Root] && d == nil:
			continue // removals of such a root are known once the shelf is read
		case !o.loaded[key.Root]:
		case rival != nil:
			drafts = append(drafts, *rival)
		case d != nil:
			drafts = append(drafts, *d)
		default:
			removed = append(removed, Removal{key, version})
		}
		delete(o.dirty, key)
	}
	return drafts, removed, roots
}

// kept notes which drafts the shelf has now.
func (o *Overlay) kept(drafts []Draft) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range drafts {
		if o.rivals[d.Key] == nil {
			o.seen[d.Key] = d.Version
		}
	}
}

// unshelved lists the drafts of a root that must not be on the shelf. Where the shelf refused drafts,
// it adds those.
func (o *Overlay) unshelved(root string, refused bool) (list []RecoveryDraft) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range inRoot(o.drafts, root) {
		_, waits := o.dirty[d.Key]
		if !o.loaded[root] || o.rivals[d.Key] != nil || refused && waits {
			list = append(list, RecoveryDraft{Draft: d, Over: o.seen[d.Key]})
		}
	}
	return list
}

// inRecovery notes that these drafts need no more work: they are read at the next start.
func (o *Overlay) inRecovery(list []place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range list {
		if o.dirty[p.Key] == p.version {
			delete(o.dirty, p.Key)
		}
	}
}

// isDirty reports whether something has yet to be kept.
func (o *Overlay) isDirty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.dirty) > 0
}

// giveBack marks again what the shelf did not take, unless it has changed meanwhile. It restores the
// drafts that were forgotten.
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

// markAll marks all drafts of a root, so that they are written again.
func (o *Overlay) markAll(root string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, d := range o.drafts {
		if key.Root == root {
			o.mark(key, d.Version)
		}
	}
}

// Rewrite marks every draft, so that all are written again. It is for a shelf that lost its content.
func (o *Overlay) Rewrite() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, d := range o.drafts {
		o.mark(key, d.Version)
	}
}
