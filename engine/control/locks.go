package control

import (
	"cmp"
	"slices"
	"sync"
)

// nameLocks let one operation at a time change a model. An operation stands in the line of every model that it is
// to load or unload, and comes in the order of its place; each model has a lock of its own, which its operation holds
// only while it works on that model. Operations cannot wait for each other in a circle: who holds a lock waits for
// no other, and who waits in a line waits for earlier places only.
type nameLocks struct {
	mu    sync.Mutex // guards what follows
	last  uint64
	lines map[string]*line
}

// line is where operations wait for one model.
type line struct {
	holder  *place
	waiting []*place      // ascending by number
	users   int           // in this line, in turn or not
	changed chan struct{} // closed when holder or waiting changes
}

// place is an operation's place in all lines.
type place struct{ number uint64 }

func newNameLocks() *nameLocks { return &nameLocks{lines: map[string]*line{}} }

// stand takes a place.
func (l *nameLocks) stand() *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	return &place{number: l.last}
}

// join puts a place in the line of a model. It is undone by leave.
func (l *nameLocks) join(p *place, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.use(name)
	at, _ := slices.BinarySearchFunc(n.waiting, p, func(a, b *place) int { return cmp.Compare(a.number, b.number) })
	n.waiting = slices.Insert(n.waiting, at, p)
}

// leave takes a place out of the line of a model.
func (l *nameLocks) leave(p *place, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.lines[name]
	n.waiting = slices.DeleteFunc(n.waiting, func(other *place) bool { return other == p })
	n.wake()
	l.letGo(name)
}

// lock waits for a model. One that is not in turn needs no place in the line, and waits only for the holder.
func (l *nameLocks) lock(p *place, name string, inTurn bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.use(name)
	for n.holder != nil || inTurn && n.waiting[0] != p {
		changed := n.changed
		l.mu.Unlock()
		<-changed
		l.mu.Lock()
	}
	n.holder = p
}

// unlock gives the lock back, and keeps the place in the line.
func (l *nameLocks) unlock(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.lines[name]
	n.holder = nil
	n.wake()
	l.letGo(name)
}

// use finds or makes a line. l.mu is held.
func (l *nameLocks) use(name string) *line {
	n := l.lines[name]
	if n == nil {
		n = &line{changed: make(chan struct{})}
		l.lines[name] = n
	}
	n.users++
	return n
}

// letGo forgets a line that nobody uses. l.mu is held.
func (l *nameLocks) letGo(name string) {
	n := l.lines[name]
	if n.users--; n.users == 0 {
		delete(l.lines, name)
	}
}

func (n *line) wake() {
	close(n.changed)
	n.changed = make(chan struct{})
}
