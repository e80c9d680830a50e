package overlay

import (
	"maps"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Key names a file.
type Key struct {
	// Root is the real path of the repository's root, see RealRoot.
	Root string
	// Path is relative to it, with slashes, without following links.
	Path string
}

// RealRoot is the path of a folder with its symbolic links resolved. A folder that cannot be reached keeps its path.
func RealRoot(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return root
}

// Base is what on disk an edit began from. Version "" means that there was no file.
type Base struct {
	Version string
	Text    string
}

// Draft is the unsaved text of a file. It is never changed: a change makes another one.
type Draft struct {
	Key
	Text string
	Base Base
	// Version grows with every change, across runs of the program too.
	Version uint64
	Changed time.Time
	// Restored says that the text came back from an earlier run and was not edited since.
	Restored bool
	// By says whose edit it is; a restored text is of nobody.
	By Turn
}

// size is what a draft costs.
func (d *Draft) size() int { return len(d.Text) + len(d.Base.Text) }

// Edit gives a file another unsaved text.
type Edit struct {
	Key  Key
	Text string
	Base Base
	// Since is the version of the draft that the writer knows, 0 for none.
	Since uint64
	By    Turn
}

// Overlay is all unsaved texts.
type Overlay struct {
	bounds Bounds
	now    func() time.Time
	wake   chan struct{} // holds a token when something is to be kept

	// mu guards the rest.
	mu     sync.Mutex
	drafts map[Key]*Draft
	bytes  int
	newest uint64 // version
	// dirty are the drafts that changed since they were kept, and the version of the change.
	dirty map[Key]uint64
	// ends say how files lost their drafts.
	ends map[Key]end
	// loaded says for each root that was opened whether what the shelf has of it is known.
	loaded map[string]bool
	// seen is the newest version of a draft on the shelf that what is here goes on from.
	seen map[Key]uint64
	// rivals are texts on the shelf that the draft of their file does not go on from.
	rivals map[Key]*Draft
}

// end is the end of a file's draft.
type end struct {
	// version is that of the change: drafts with a smaller one are gone.
	version uint64
	// by is the edit that left no draft; the zero Turn where the draft was discarded.
	by Turn
	// of is who wrote the draft that ended.
	of string
}

// New makes an overlay without texts; now is the clock.
func New(bounds Bounds, now func() time.Time) *Overlay {
	return &Overlay{
		bounds: bounds, now: now, wake: make(chan struct{}, 1), drafts: map[Key]*Draft{}, dirty: map[Key]uint64{},
		ends: map[Key]end{}, loaded: map[string]bool{}, seen: map[Key]uint64{}, rivals: map[Key]*Draft{},
	}
}

// Get finds the draft of a file.
func (o *Overlay) Get(key Key) (Draft, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := o.get(key)
	return d, d.Version != 0
}

// Put keeps a text. If the text equals the file on disk, the draft is removed, and the zero Draft is given.
//
// A writer does not wait for its answers: its own edits never are news to it, and one that arrives after a later one is
// not taken. A NewerError says that the file was edited elsewhere since; a GoneError that the draft which the writer knows
// was discarded or saved; a FullError that there is no room. Then nothing changes. A writer whose draft was ended by
// somebody else goes on under another name once it knows that: what it sent before may still be on its way.
func (o *Overlay) Put(e Edit) (Draft, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	old := o.drafts[e.Key]
	last := o.last(e.Key)
	if e.By.before(last) {
		return o.get(e.Key), nil
	}
	if old != nil && old.Version > e.Since && old.Text != e.Text && !e.By.follows(last) {
		return Draft{}, &NewerError{Draft: *old}
	}
	if old == nil && o.isGone(e) && !e.By.follows(last) {
		return Draft{}, &GoneError{Key: e.Key}
	}
	if e.Text == e.Base.Text {
		o.choose(e.Key, e.Text)
		o.remove(e.Key)
		o.endedBy(e.Key, e.By)
		return Draft{}, nil
	}
	if old != nil && old.Text == e.Text && old.Base == e.Base {
		next := *old // a draft is never changed
		next.By = e.By
		o.drafts[e.Key] = &next
		return next, nil
	}
	next := &Draft{Key: e.Key, Text: e.Text, Base: e.Base, Changed: o.now(), By: e.By}
	if err := o.room(old, next); err != nil {
		return Draft{}, err
	}
	o.choose(e.Key, e.Text)
	next.Version = o.version()
	o.set(next)
	return *next, nil
}

// Drop removes the draft of a file and gives it.
func (o *Overlay) Drop(key Key) (Draft, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := o.drafts[key]
	if d == nil {
		return Draft{}, false
	}
	o.remove(key)
	return *d, true
}

// Saved notes what was written to a file, and what of its draft is part of that. Where whoever saved has typed more since,
// the draft goes on from what was written. A draft of somebody else stays as it is: its begin is not what the file says now,
// and they are asked.
func (o *Overlay) Saved(key Key, base Base, part Part) {
	o.mu.Lock()
	defer o.mu.Unlock()
	old := o.drafts[key]
	if old != nil && old.Text != base.Text && !part.includes(old) {
		if !part.By.isOf(old.By) {
			return
		}
		next := *old
		next.Base, next.Version = base, o.version()
		o.set(&next)
		return
	}
	o.choose(key, base.Text)
	o.remove(key)
	o.endedBy(key, part.By.next()) // an edit that is still on its way is part of it too
}

// Move takes the drafts below a folder to another one, over those that are there.
func (o *Overlay) Move(from, to Key) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, d := range o.drafts {
		rest, below := strings.CutPrefix(key.Path, from.Path+"/")
		if key.Root != from.Root || !below {
			continue
		}
		next := *d
		next.Key, next.Version = Key{Root: to.Root, Path: to.Path + "/" + rest}, o.version()
		if r := o.rivals[key]; r != nil {
			delete(o.rivals, key)
			o.seen[key] = r.Version
			moved := *r
			moved.Key = next.Key
			o.rivals[next.Key] = &moved
		}
		o.remove(key)
		o.set(&next)
	}
}

// In lists the drafts of a root by path.
func (o *Overlay) In(root string) []Draft {
	o.mu.Lock()
	defer o.mu.Unlock()
	return inRoot(o.drafts, root)
}

// Forget lets the drafts of a root go from memory, unless one of them is not kept yet; then all stay.
func (o *Overlay) Forget(root string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key := range o.dirty {
		if key.Root == root && o.drafts[key] != nil {
			return false
		}
	}
	for key := range o.drafts {
		if key.Root == root {
			o.forget(key)
			delete(o.rivals, key)
		}
	}
	if !o.loaded[root] {
		delete(o.loaded, root)
		maps.DeleteFunc(o.dirty, func(key Key, _ uint64) bool { return key.Root == root }) // removals of what the shelf never had
	}
	maps.DeleteFunc(o.ends, func(key Key, _ end) bool { return key.Root == root })
	return true
}

// get needs mu. It gives the zero Draft where there is none.
func (o *Overlay) get(key Key) Draft {
	if d := o.drafts[key]; d != nil {
		return *d
	}
	return Draft{}
}

// last needs mu. It is the newest edit of a file.
func (o *Overlay) last(key Key) Turn {
	if d := o.drafts[key]; d != nil {
		return d.By
	}
	return o.ends[key].by
}

// version needs mu. It follows the clock, so that what another process wrote later counts as newer.
func (o *Overlay) version() uint64 {
	o.newest = max(o.newest+1, uint64(o.now().UnixMicro()))
	return o.newest
}

// set needs mu.
func (o *Overlay) set(d *Draft) {
	o.forget(d.Key)
	o.drafts[d.Key] = d
	o.bytes += d.size()
	o.mark(d.Key, d.Version)
}

// remove needs mu.
func (o *Overlay) remove(key Key) {
	if o.drafts[key] == nil {
		return
	}
	of := o.drafts[key].By.Writer
	o.forget(key)
	version := o.version()
	o.ends[key] = end{version: version, of: of}
	o.mark(key, version)
	o.promote(key)
}

// endedBy needs mu. It notes whose edit left a file without a draft.
func (o *Overlay) endedBy(key Key, by Turn) {
	o.ends[key] = end{version: o.ends[key].version, by: by, of: o.ends[key].of}
}

// isGone needs mu. It says whether an edit goes on from a draft that has ended: from its version, or, where its writer has heard of
// no version yet, from what it wrote before.
func (o *Overlay) isGone(e Edit) bool {
	ended := o.ends[e.Key]
	if e.Since == 0 {
		return e.By.Writer != "" && e.By.Writer == ended.of
	}
	return e.Since < ended.version
}

// forget needs mu.
func (o *Overlay) forget(key Key) {
	if old := o.drafts[key]; old != nil {
		o.bytes -= old.size()
		delete(o.drafts, key)
	}
}

// mark needs mu.
func (o *Overlay) mark(key Key, version uint64) {
	o.dirty[key] = version
	o.rouse()
}

// rouse has the keeper look.
func (o *Overlay) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
