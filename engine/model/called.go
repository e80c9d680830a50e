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

// Called is another model that a model has called since it was loaded.
type Called struct {
	Model   string
	Running uint64    // calls that have not ended
	Count   uint64    // calls that have
	Failed  uint64    // of these, with an error
	Error   string    // of the newest call that failed; "" when none did
	Last    time.Time // when the newest call ended; zero when none did
	// NewestFailed is set where the newest call that ended failed.
	NewestFailed bool
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

// began notes a call that begins. It returns what ended gets; nil for a model that is not remembered.
func (l *callLog) began(name string) *Called {
	c, first := l.begin(name)
	if first {
		l.first()
	}
	return c
}

// begin reports whether the model is called for the first time.
func (l *callLog) begin(name string) (c *Called, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c = l.seen[name]
	if c == nil {
		if len(l.seen) == mostCalled || len(name) > longestCalled {
			l.other++
			return nil, false
		}
		name = strings.Clone(name)
		c, first = &Called{Model: name}, true
		l.seen[name] = c
	}
	c.Running++
	return c, first
}

// ended notes that a call has ended.
func (l *callLog) ended(c *Called, err error) {
	if c == nil {
		return
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	c.Running--
	c.Count++
	c.Last, c.NewestFailed = now, err != nil
	if err != nil {
		c.Failed++
		c.Error = shortened(err.Error(), longestError)
	}
}

func shortened(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
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
