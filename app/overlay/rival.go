package overlay

import (
	"cmp"
	"slices"
)

// RecoveryDraft is a draft outside the shelf, while the shelf cannot be used or has another text of the file.
type RecoveryDraft struct {
	Draft
	// Over is the version of the text on the shelf that this one goes on from; 0 when it was begun without one.
	Over uint64
}

// expect notes that the drafts of a root are not known yet: nothing of the root goes to the shelf until they are.
func (o *Overlay) expect(root string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.loaded[root] = false
}

// waiting lists the roots whose drafts on the shelf are not known yet.
func (o *Overlay) waiting() (roots []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for root, loaded := range o.loaded {
		if !loaded {
			roots = append(roots, root)
		}
	}
	return roots
}

// Recover brings back drafts of an earlier run that are not on the shelf, beyond the bounds if need be. What is in
// memory already is the same text or goes on from it.
func (o *Overlay) Recover(list []RecoveryDraft) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range list {
		o.newest = max(o.newest, p.Version)
		if _, waits := o.dirty[p.Key]; waits || o.drafts[p.Key] != nil {
			continue
		}
		o.seen[p.Key] = p.Over
		o.restore(p.Draft)
	}
}

// Meet takes in what the shelf has of a root, beyond the bounds if need be. A text on the shelf that the one in memory
// does not go on from becomes its rival: both are kept until a person chooses.
//
// It is false, and does nothing, for a root that is not waiting for it.
func (o *Overlay) Meet(root string, stored []Draft) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if loaded, open := o.loaded[root]; loaded || !open {
		return false
	}
	o.loaded[root] = true
	for _, d := range stored {
		o.newest = max(o.newest, d.Version)
	}
	for _, d := range stored {
		o.meet(d)
	}
	for key, d := range o.drafts {
		if key.Root == root && o.seen[key] != d.Version {
			o.mark(key, d.Version) // the shelf does not have it yet
		}
	}
	return true
}

// meet needs mu.
func (o *Overlay) meet(d Draft) {
	old := o.drafts[d.Key]
	_, waits := o.dirty[d.Key]
	goesOn := o.seen[d.Key] == d.Version // what is here was made of d, or is that it was removed
	switch {
	case old == nil && goesOn && waits:
		return
	case old == nil:
		delete(o.dirty, d.Key)
		o.seen[d.Key] = d.Version
		o.restore(d)
	case goesOn:
		return
	default:
		next := *old
		next.Version = o.version() // windows look again
		if old.Text != d.Text {
			o.rivals[d.Key] = &d
		} else {
			o.seen[d.Key] = d.Version
		}
		o.set(&next)
	}
}

// restore needs mu.
func (o *Overlay) restore(d Draft) {
	d.Restored = true
	o.forget(d.Key)
	o.drafts[d.Key] = &d
	o.bytes += d.size()
}

// Rival finds the other unsaved text of a file, which was kept when the shelf could not be read.
func (o *Overlay) Rival(key Key) (Draft, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d, ok := o.rivals[key]
	if !ok {
		return Draft{}, false
	}
	return *d, true
}

// RivalsIn lists the rivals of a root by path.
func (o *Overlay) RivalsIn(root string) []Draft {
	o.mu.Lock()
	defer o.mu.Unlock()
	return inRoot(o.rivals, root)
}

// DropRival removes a rival: the person chose the other text.
func (o *Overlay) DropRival(key Key, version uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if r := o.rivals[key]; r == nil || r.Version != version {
		return false
	}
	o.settle(key)
	return true
}

// choose needs mu. A rival that says what is typed now was chosen.
func (o *Overlay) choose(key Key, text string) {
	if r := o.rivals[key]; r != nil && r.Text == text {
		o.seen[key] = r.Version
		delete(o.rivals, key)
	}
}

// settle needs mu. It ends a choice for the draft, which the shelf gets now in place of the rival.
func (o *Overlay) settle(key Key) {
	r := o.rivals[key]
	if r == nil {
		return
	}
	delete(o.rivals, key)
	o.seen[key] = r.Version
	if d := o.drafts[key]; d != nil {
		next := *d
		next.Version = o.version()
		o.set(&next)
	}
}

// promote needs mu. Where a draft was removed, its rival is the only unsaved text.
func (o *Overlay) promote(key Key) {
	r := o.rivals[key]
	if r == nil {
		return
	}
	delete(o.rivals, key)
	o.seen[key] = r.Version
	next := *r
	next.Version, next.Restored = o.version(), true
	o.set(&next)
}

// inRoot needs mu.
func inRoot(drafts map[Key]*Draft, root string) []Draft {
	var list []Draft
	for key, d := range drafts {
		if key.Root == root {
			list = append(list, *d)
		}
	}
	slices.SortFunc(list, func(a, b Draft) int { return cmp.Compare(a.Path, b.Path) })
	return list
}
