package model

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// What is remembered of the calls of one load is limited, because a program can call any name.
const (
	mostCalled    = 64   // models
	longestCalled = 256  // bytes of a name
	longestError  = 1024 // bytes
)

// Called is another model that a model has called since it was loaded. Calls are counted when they have ended.
type Called struct {
	Model  string
	Count  uint64
	Failed uint64    // of these, calls that ended with an error
	Error  string    // of the newest call that failed; "" when none did
	Last   time.Time // when the newest call ended
}

// callLog remembers which models a load of a model has called. It is forgotten with the load.
type callLog struct {
	first func() // is called when a model is called for the first time
	now   func() time.Time

	mu    sync.Mutex // guards what follows
	seen  map[string]*Called
	other uint64 // calls of models that are not in seen, because it is full
}

func newCallLog(first func()) *callLog {
	return &callLog{first: first, now: time.Now, seen: map[string]*Called{}}
}

// ended notes a call that has ended.
func (l *callLog) ended(name string, err error) {
	if l.note(name, err) {
		l.first()
	}
}

// note reports whether the model was called for the first time.
func (l *callLog) note(name string, err error) (first bool) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.seen[name]
	if c == nil {
		if len(l.seen) == mostCalled || len(name) > longestCalled {
			l.other++
			return false
		}
		name = strings.Clone(name)
		c, first = &Called{Model: name}, true
		l.seen[name] = c
	}
	c.Count++
	c.Last = now
	if err != nil {
		c.Failed++
		c.Error = shortened(err.Error())
	}
	return first
}

func shortened(text string) string {
	if len(text) > longestError {
		return strings.ToValidUTF8(text[:longestError], "") + "…"
	}
	return text
}

// list returns what was called, sorted by name, and the number of calls of other models.
func (l *callLog) list() (called []Called, other uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.seen {
		called = append(called, *c)
	}
	slices.SortFunc(called, func(a, b Called) int { return cmp.Compare(a.Model, b.Model) })
	return called, l.other
}

// Called returns the models that this load has called, sorted by name, and the number of calls of further models, which are
// not listed because there are too many.
func (v *Version) Called() (called []Called, other uint64) { return v.called.list() }
