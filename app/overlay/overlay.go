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
	// Root is the real path of the repository's root; see RealRoot.
	Root string
	// Path is relative to Root, with slashes, and without following links.
	Path string
}

// RealRoot returns the path of a folder with its symbolic links resolved. A folder that cannot be
// reached keeps its path.
func RealRoot(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real
	}
	return root
}

// Base is the file on disk that an edit began from. Version "" means that there was no file.
type Base struct {
	Version string
	Text    string
}

// Draft is the unsaved text of a file. It never changes: an edit makes a new one.
type Draft struct {
	Key
	Text string
	Base Base
	// Version grows with every change, across runs of the program too.
	Version uint64
	Changed time.Time
	// Restored means that the text is from an earlier run and has not been edited since.
	Restored bool
	// By is the edit that made the text. For a restored text it is the zero Turn.
	By Turn
}

// size is the memory that a draft counts for, in bytes.
func (d *Draft) size() int { return len(d.Text) + len(d.Base.Text) }

// Edit gives a file another unsaved text.
type Edit struct {
	Key  Key
	Text string
	Base Base
	// Since is the version of the draft that the writer knows; 0 means none.
	Since uint64
	By    Turn
}

// Overlay holds all unsaved texts.
type Overlay struct {
	bounds Bounds
	now    func() time.Time
	wake   chan struct{} // has a token when something has yet to be kept

	// mu guards the rest.
	mu     sync.Mutex
	drafts map[Key]*Draft
	bytes  int
	newest uint64 // the newest version
	// dirty are the drafts that changed since they were kept, with the version of the change.
	dirty map[Key]uint64
	// ends holds how the drafts of files ended.
	ends map[Key]end
	// saves holds the newest saves of files, of writers that have names.
	saves map[Key]save
	// loaded reports for each open root whether the shelf's drafts of it are known.
	loaded map[string]bool
	// seen is, for each file, the newest version on the shelf that the text here continues.
	seen map[Key]uint64
	// rivals are texts on the shelf that the draft of their file does not continue.
	rivals map[Key]*Draft
}

// end is the end of a file's draft.
type end struct {
	// version is that of the change: drafts with a smaller version have ended.
	version uint64
	// by is the edit that left no draft. It is the zero Turn where the draft was discarded.
	by Turn
	// of is the writer of the draft that ended.
	of string
}

// save is the newest save of a file.
type save struct {
	writer, began string // began as in Part
	base          Base   // what is on disk since
}

// New returns an overlay without texts; now is the clock.
func New(bounds Bounds, now func() time.Time) *Overlay {
	return &Overlay{
		bounds: bounds, now: now, wake: make(chan struct{}, 1), drafts: map[Key]*Draft{}, dirty: map[Key]uint64{},
		ends: map[Key]end{}, saves: map[Key]save{}, loaded: map[string]bool{}, seen: map[Key]uint64{}, rivals: map[Key]*Draft{},
	}
}

// Get returns the draft of a file.
func (o *Overlay) Get(key Key) (Draft, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := o.get(key)
	return d, d.Version != 0
}

// Put keeps a text. If the text equals the file on disk, the draft is removed, and Put returns the
// zero Draft.
//
// A writer does not wait for answers. So its own edits are never news to it, and an edit that arrives
// after a later one is ignored. A NewerError says that the file was edited elsewhere since. A
// GoneError says that the draft that the writer knows was discarded or saved. A FullError says that
// there is no room. On an error nothing changes. A writer whose draft was ended by another one
// continues under a new name once it knows that, since its earlier edits may still arrive.
func (o *Overlay) Put(e Edit) (Draft, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	e.Base = o.based(e)
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

// Drop removes the draft of a file and returns it.
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

// Saved notes what was written to a file, and which edits of its draft that includes. Where the writer
// that saved has typed more since, its draft continues from the saved text. A draft of another writer
// keeps its base, which differs from the file now: its writer is asked.
func (o *Overlay) Saved(key Key, base Base, part Part) {
	o.mu.Lock()
	defer o.mu.Unlock()
	old := o.drafts[key]
	typed := old != nil && old.Text != base.Text && !part.includes(old)
	if typed && !part.By.isOf(old.By) {
		return
	}
	o.saves[key] = save{writer: part.By.Writer, began: part.Began, base: base}
	if typed {
		next := *old
		next.Base, next.Version = base, o.version()
		o.set(&next)
		return
	}
	o.choose(key, base.Text)
	o.remove(key)
	o.endedBy(key, part.By.next()) // edits that have yet to arrive are included too
}

// Move moves the draft of a file, or the drafts below a folder, to another path. They replace the drafts there.
func (o *Overlay) Move(from, to Key) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for key, d := range o.drafts {
		rest, begins := strings.CutPrefix(key.Path, from.Path)
		if key.Root != from.Root || !begins || rest != "" && rest[0] != '/' {
			continue
		}
		next := *d
		next.Key, next.Version = Key{Root: to.Root, Path: to.Path + rest}, o.version()
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

// Forget removes the drafts of a root from memory. If one of them is not kept yet, all stay.
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

// get needs mu. It returns the zero Draft where there is none.
func (o *Overlay) get(key Key) Draft {
	if d := o.drafts[key]; d != nil {
		return *d
	}
	return Draft{}
}

// last needs mu. It returns the newest edit of a file.
func (o *Overlay) last(key Key) Turn {
	if d := o.drafts[key]; d != nil {
		return d.By
	}
	return o.ends[key].by
}

// version needs mu. It returns the next version. Versions follow the clock, so that what another
// process writes later counts as newer.
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

// endedBy needs mu. It notes which edit left a file without a draft.
func (o *Overlay) endedBy(key Key, by Turn) {
	o.ends[key] = end{version: o.ends[key].version, by: by, of: o.ends[key].of}
}

// based needs mu. It returns what an edit begins from. A writer hears of its save with the answer; what it sends before still
// names what was on disk before.
func (o *Overlay) based(e Edit) Base {
	if s := o.saves[e.Key]; s.writer != "" && s.writer == e.By.Writer && s.began == e.Base.Version {
		return s.base
	}
	return e.Base
}

// isGone needs mu. It reports whether an edit continues a draft that has ended: by the version, or,
// where its writer knows no version yet, by the writer's earlier edits.
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

// rouse wakes the keeper.
func (o *Overlay) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}
