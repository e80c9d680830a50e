package control

import (
	"cmp"
	"slices"

	"conch/engine/guarded"
)

// nameLocks let one operation at a time change a model. An operation waits in the line of every model
// that it will load or unload, in the order of its place. Each model has its own lock; an operation
// holds it only while it works on that model. Operations cannot wait for each other in a circle: an
// operation that holds a lock waits for no other lock, and an operation in a line waits only for
// earlier places.
type nameLocks struct{ guarded.Value[lines] }

// lines are all lines in use.
type lines struct {
	last   uint64 // the last given place
	byName map[string]*line
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

func newNameLocks() *nameLocks {
	l := &nameLocks{}
	l.Lock().byName = map[string]*line{}
	l.Unlock()
	return l
}

// stand returns a new place.
func (l *nameLocks) stand() *place {
	all := l.Lock()
	defer l.Unlock()
	all.last++
	return &place{number: all.last}
}

// join puts a place in the line of a model. It is undone by leave.
func (l *nameLocks) join(p *place, name string) {
	all := l.Lock()
	defer l.Unlock()
	n := all.use(name)
	at, _ := slices.BinarySearchFunc(n.waiting, p, func(a, b *place) int { return cmp.Compare(a.number, b.number) })
	n.waiting = slices.Insert(n.waiting, at, p)
}

// leave takes a place out of the line of a model.
func (l *nameLocks) leave(p *place, name string) {
	all := l.Lock()
	defer l.Unlock()
	n := all.byName[name]
	n.waiting = slices.DeleteFunc(n.waiting, func(other *place) bool { return other == p })
	n.wake()
	all.letGo(name)
}

// take waits for a model's lock. With inTurn false, it needs no place in the line and waits only for the
// holder.
func (l *nameLocks) take(p *place, name string, inTurn bool) {
	n := l.Lock().use(name)
	defer l.Unlock()
	for n.holder != nil || inTurn && n.waiting[0] != p {
		changed := n.changed
		l.Unlock()
		<-changed
		l.Lock()
	}
	n.holder = p
}

// giveBack releases the lock, and keeps the place in the line.
func (l *nameLocks) giveBack(name string) {
	all := l.Lock()
	defer l.Unlock()
	n := all.byName[name]
	n.holder = nil
	n.wake()
	all.letGo(name)
}

// use returns a model's line, and creates it if needed.
func (l *lines) use(name string) *line {
	n := l.byName[name]
	if n == nil {
		n = &line{changed: make(chan struct{})}
		l.byName[name] = n
	}
	n.users++
	return n
}

// letGo drops a line that is not in use.
func (l *lines) letGo(name string) {
	n := l.byName[name]
	if n.users--; n.users == 0 {
		delete(l.byName, name)
	}
}

func (n *line) wake() {
	close(n.changed)
	n.changed = make(chan struct{})
}
