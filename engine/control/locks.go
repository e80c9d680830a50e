package control

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"conch/engine/guarded"
	"conch/engine/infer"
)

// nameLocks let one operation at a time change a model. An operation waits in the line of every model
// that it will load or unload, in the order of its place. Each model has its own lock; an operation
// holds it only while it works on that model. Operations do not wait for each other in a circle: an
// operation in a line waits only for earlier places, and an operation that holds a lock waits for another
// operation only when the model that it loads asks for that; the lines know this, and refuse a circle.
type nameLocks struct{ guarded.Value[lines] }

// lines are all lines in use.
type lines struct {
	last   uint64 // the last given place
	byName map[string]*line
	// waits are the models for which a model waits: in operations that its load asked for, or because it is made of them.
	waits map[string]map[string]int
	asked int // models in operations for which loads asked
}

// line is where operations wait for one model.
type line struct {
	holder  *place
	waiting []*place      // ascending by number
	users   int           // in this line, in turn or not
	changed chan struct{} // closed when holder or waiting changes
}

// place is an operation's place in all lines.
type place struct {
	number uint64
	asker  string // the model whose load asked for the operation, and waits for it; "" for none
}

func newNameLocks() *nameLocks {
	l := &nameLocks{}
	*l.Lock() = lines{byName: map[string]*line{}, waits: map[string]map[string]int{}}
	l.Unlock()
	return l
}

// stand returns a new place for an operation that the load of a model asked for, or for another one ("").
func (l *nameLocks) stand(asker string) *place {
	all := l.Lock()
	defer l.Unlock()
	all.last++
	return &place{number: all.last, asker: asker}
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
// holder. It returns an error, and takes nothing, when the load that asked for the operation would wait for
// itself.
func (l *nameLocks) take(p *place, name string, inTurn bool) error {
	all := l.Lock()
	defer l.Unlock()
	n := all.use(name)
	for n.holder != nil || inTurn && n.waiting[0] != p {
		if way := all.wayTo(name, p.asker); way != nil {
			all.letGo(name)
			return waitsForItself(way)
		}
		changed := n.changed
		l.Unlock()
		<-changed
		l.Lock()
	}
	n.holder = p
	return nil
}

// asked notes that the load that asked for an operation waits until the operation is done with a model. The
// function notes the end.
func (l *nameLocks) asked(p *place, name string) (over func()) {
	if p.asker == "" {
		return func() {}
	}
	all := l.Lock()
	defer l.Unlock()
	all.asked++
	all.addWait(p.asker, name)
	return func() {
		all := l.Lock()
		defer l.Unlock()
		all.asked--
		all.dropWait(p.asker, name)
	}
}

// awaits notes that an ensemble waits for its models. The function notes the end.
func (l *nameLocks) awaits(ensemble string, parts []string) (over func()) {
	if len(parts) == 0 {
		return func() {}
	}
	all := l.Lock()
	defer l.Unlock()
	for _, part := range parts {
		all.addWait(ensemble, part)
	}
	return func() {
		all := l.Lock()
		defer l.Unlock()
		for _, part := range parts {
			all.dropWait(ensemble, part)
		}
	}
}

// addWait notes that a model waits for another one. All who wait for a lock look for a circle again.
func (l *lines) addWait(name, other string) {
	if l.waits[name] == nil {
		l.waits[name] = map[string]int{}
	}
	l.waits[name][other]++
	if l.asked == 0 {
		return // there is none
	}
	for _, n := range l.byName {
		n.wake()
	}
}

func (l *lines) dropWait(name, other string) {
	of := l.waits[name]
	if of[other]--; of[other] == 0 {
		delete(of, other)
	}
	if len(of) == 0 {
		delete(l.waits, name)
	}
}

// wayTo returns the models that wait for each other from one to another, both included; nil when there is no
// such way.
func (l *lines) wayTo(from, to string) []string {
	seen := map[string]bool{}
	var visit func(name string) []string
	visit = func(name string) []string {
		if name == to {
			return []string{name}
		}
		seen[name] = true
		for _, next := range slices.Sorted(maps.Keys(l.waits[name])) {
			if !seen[next] {
				if way := visit(next); way != nil {
					return append([]string{name}, way...)
				}
			}
		}
		return nil
	}
	if to == "" {
		return nil
	}
	return visit(from)
}

// waitsForItself is the error of a load that could never end. way ends with the model that asks for it.
func waitsForItself(way []string) error {
	last := way[len(way)-1]
	if len(way) == 1 {
		return infer.Errorf(infer.Unavailable, "model '%s' cannot load itself while it is being loaded", last)
	}
	return infer.Errorf(infer.Unavailable, "this load would never end, because models load each other while they are being loaded: "+
		"'%s' loads '%s'. Load one of them before the other, or in its execute", last, strings.Join(way, "', which loads '"))
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
