package overlay

import (
	"cmp"
	"slices"
)

// RecoveryDraft is a draft outside the shelf, while the shelf cannot be used or has another text of the file.
type RecoveryDraft struct {
	Draft
	// Over is the version of the text on the shelf that this one continues; 0 when it was begun
	// without one.
	Over uint64
}

// expect notes that the shelf's drafts of a root are not known yet. Until they are, nothing of the
// root is written to the shelf.
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

// Recover restores drafts of an earlier run that are not on the shelf, even beyond the bounds. A draft
// that is already in memory is the same text or continues it, and stays.
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

// Meet adds the shelf's drafts of a root, even beyond the bounds. A text on the shelf that the one in
// memory does not continue becomes its rival: both are kept until a person chooses.
//
// Meet returns false, and does nothing, for a root that does not wait for its drafts.
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
	goesOn := o.seen[d.Key] == d.Version // the text here, or its removal, was made from d
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
		next.Version = o.version() // so that windows load it again
		if old.Text != d.Text {
			o.rivals[d.Key] = &d
		} else {
			o.seen[d.Key] = d.Version
			next.Restored = true // a window that outlived the earlier run sent it before it was read here
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

// Rival returns the other unsaved text of a file, which was kept because the shelf could not be read.
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

// choose needs mu. It notes that the rival was chosen when its text equals the text typed now.
func (o *Overlay) choose(key Key, text string) {
	if r := o.rivals[key]; r != nil && r.Text == text {
		o.seen[key] = r.Version
		delete(o.rivals, key)
	}
}

// settle needs mu. It ends a choice in favour of the draft, which replaces the rival on the shelf.
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

// promote needs mu. Where the draft was removed, its rival becomes the draft.
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
