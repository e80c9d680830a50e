package control

import (
	"cmp"
	"slices"
	"sync"
)

// nameLocks serialise operations on models that belong together. All names of an operation are taken at once or not at all, so
// two operations cannot wait for each other. Those that share a name come in the order in which they stood in line.
type nameLocks struct {
	mu   sync.Mutex // guards what follows
	turn *sync.Cond
	last uint64
	line map[string][]*place // by name, in the order of coming
}

// place is somebody's in the line.
type place struct {
	number uint64
	names  map[string]bool
	holds  bool
}

func newNameLocks() *nameLocks {
	l := &nameLocks{line: map[string][]*place{}}
	l.turn = sync.NewCond(&l.mu)
	return l
}

// stand takes a place in the line for at least these names.
func (l *nameLocks) stand(names map[string]bool) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	p := &place{number: l.last}
	l.want(p, names)
	return p
}

// want puts a place in the lines of all these names. l.mu is held.
func (l *nameLocks) want(p *place, names map[string]bool) {
	for name := range p.names {
		if !names[name] {
			l.remove(p, name)
		}
	}
	for name := range names {
		if !p.names[name] {
			at, _ := slices.BinarySearchFunc(l.line[name], p, func(a, b *place) int { return cmp.Compare(a.number, b.number) })
			l.line[name] = slices.Insert(l.line[name], at, p)
		}
	}
	p.names = names
}

func (l *nameLocks) remove(p *place, name string) {
	rest := slices.DeleteFunc(l.line[name], func(other *place) bool { return other == p })
	if len(rest) == 0 {
		delete(l.line, name)
	} else {
		l.line[name] = rest
	}
}

// lock waits for all names.
func (l *nameLocks) lock(p *place, names map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.want(p, names)
	for !l.mayGo(p) {
		l.turn.Wait()
	}
	p.holds = true
}

// mayGo says whether nobody holds any of the names, or wanted one before. l.mu is held.
func (l *nameLocks) mayGo(p *place) bool {
	for name := range p.names {
		before := true
		for _, other := range l.line[name] {
			if other == p {
				before = false
			} else if before || other.holds {
				return false
			}
		}
	}
	return true
}

// unlock gives the names back and keeps the place.
func (l *nameLocks) unlock(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p.holds = false
	l.turn.Broadcast()
}

// leave gives the names and the place back.
func (l *nameLocks) leave(p *place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.want(p, nil)
	p.holds = false
	l.turn.Broadcast()
}
