package overlay

import (
	"cmp"
	"context"
	"errors"
	"slices"
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

// Recovery is where drafts outlive the program while they are not on the shelf: recovery files.
type Recovery interface {
	// Write replaces the drafts that are there of a root, and says where they are. What was there before stays until they
	// are written. Drafts that have not changed are not written again, but to a better place.
	Write(root string, drafts []RecoveryDraft) (Spot, error)
	// Read gives the drafts of a root that Write wrote, in whichever run, and says where they are.
	Read(root string) ([]RecoveryDraft, Spot, error)
	// Has says whether what was written or read last of a root is still there. Others may remove it.
	Has(root string) bool
	// Release ends the use of a root, which another program may take up.
	Release(root string)
}

// Spot is where recovery files are.
type Spot struct {
	// Path is the file or the folder; "" is the usual place.
	Path string
	// Passing says that what is there does not outlive a restart of the machine.
	Passing bool
}

// Removal says that there is no draft of a file any more, and the version of that change.
type Removal struct {
	Key
	Version uint64
}

// keepAfter is how long changes are collected: short enough to lose less than a second of typing.
const keepAfter = 400 * time.Millisecond

// retryAfter is how long a shelf that could not be written is left alone: not longer than what is typed meanwhile may wait.
const retryAfter = 800 * time.Millisecond

// Told are what a keeper tells.
type Told struct {
	// Kept hears of each attempt to keep what changed: which recovery files are in another place than the usual
	// one, and an error when something is in no place.
	Kept func(elsewhere []Spot, err error)
	// Late hears that the drafts of a root were brought that could not be read when it was opened.
	Late func(root string)
}

// Keeper writes what changes in an overlay to a shelf. What the shelf does not take, or must not have yet, goes
// to recovery files.
type Keeper struct {
	overlay  *Overlay
	shelf    Shelf
	recovery Recovery
	told     Told
	stop     context.CancelFunc
	done     chan struct{}

	flushMu sync.Mutex // one flush at a time, so that the shelf hears of changes in their order
	// files names by root what is in recovery files, and spots where they are.
	files map[string][]place
	spots map[string]Spot
}

// UnkeptError says which drafts are in no place that outlives the program, and why. Without keys nothing is lost, but the
// copy of a text that was saved or discarded could not be removed, and may come back.
type UnkeptError struct {
	Keys []Key
	Err  error
}

func (e *UnkeptError) Error() string { return e.Err.Error() }

// Unwrap gives why.
func (e *UnkeptError) Unwrap() error { return e.Err }

// place is one version of a draft.
type place struct {
	Key
	version, over uint64
}

// Keep begins to write.
func Keep(o *Overlay, shelf Shelf, recovery Recovery, told Told) *Keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &Keeper{overlay: o, shelf: shelf, recovery: recovery, told: told, stop: stop, done: make(chan struct{})}
	k.files, k.spots = map[string][]place{}, map[string]Spot{}
	go k.run(ctx)
	return k
}

// Close writes what is left and ends.
func (k *Keeper) Close() error {
	k.stop()
	<-k.done
	return k.Flush(context.Background())
}

// Settle writes what is left, and tries again until all of it is kept or ctx ends. The error is that of Flush.
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
			wait = keepAfter // something was typed while the rest was written
			if late {
				wait = retryAfter
			}
		}
	}
}

// Begin takes the drafts of a root that are in recovery files into the overlay. Nothing of the root goes to the shelf until Bring has read
// what is there. On an error nothing is written to recovery files either, so that what could not be read stays.
func (k *Keeper) Begin(root string) error {
	k.overlay.expect(root)
	list, spot, err := k.recovery.Read(root)
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	k.files[root], k.spots[root] = places(list), spot
	k.overlay.Recover(list)
	if spot.Path != "" {
		k.overlay.rouse() // it is told where they are, and they are moved when a better place takes them
	}
	return err
}

// Bring takes the drafts of a root from the shelf into the overlay, and gives all that it has of the root then. Where the
// shelf cannot be read it is tried again until it can.
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

// bringLate tries again what Bring could not read.
func (k *Keeper) bringLate(ctx context.Context) {
	for _, root := range k.overlay.waiting() {
		_, _ = k.bring(ctx, root, true)
	}
}

// Away writes what is left, and lets the drafts of a root go from memory.
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

// elsewhere lists the places of recovery files that are not in the usual place, in the same order each time.
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

// Passing lists the drafts that are only in a place that does not outlive a restart of the machine, and these places.
func (k *Keeper) Passing() (keys []Key, spots []Spot) {
	k.flushMu.Lock()
	defer k.flushMu.Unlock()
	for root, spot := range k.spots {
		if !spot.Passing {
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

// Flush writes what changed now: to the shelf, and what cannot be there to recovery files. It fails with an UnkeptError when
// something is in neither place.
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

// writeFiles needs flushMu. It writes what the shelf does not have of a root to recovery files, and no more. What is not in the usual place is given
// to Recovery again each time, which moves it to a better place as soon as there is one. Where it fails it gives what is neither on the
// shelf nor in a recovery file.
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

// take gives what changed since the last time and may be on the shelf, and the roots in which something changed.
func (o *Overlay) take() (drafts []Draft, removed []Removal, roots map[string]bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	roots = map[string]bool{}
	for key, version := range o.dirty {
		roots[key.Root] = true
		d, rival := o.drafts[key], o.rivals[key]
		switch {
		case !o.loaded[key.Root] && d == nil:
			continue // what is removed is known once the shelf is
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

// kept notes what the shelf has now.
func (o *Overlay) kept(drafts []Draft) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range drafts {
		if o.rivals[d.Key] == nil {
			o.seen[d.Key] = d.Version
		}
	}
}

// unshelved are the drafts of a root that must not be on the shelf, and, where it refused some, those that wait for it.
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

// inRecovery notes that nothing more is to be done for these: they are read at the next start.
func (o *Overlay) inRecovery(list []place) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range list {
		if o.dirty[p.Key] == p.version {
			delete(o.dirty, p.Key)
		}
	}
}

// isDirty says whether something is to be kept yet.
func (o *Overlay) isDirty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.dirty) > 0
}

// giveBack marks again what the shelf did not take, unless it changed meanwhile, and brings back what was forgotten.
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

// markAll has the drafts of a root written again.
func (o *Overlay) markAll(root string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, d := range o.drafts {
		if key.Root == root {
			o.mark(key, d.Version)
		}
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
