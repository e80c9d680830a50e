package refusals

import (
	"cmp"
	"context"
	"slices"
)

// Changes are what a reader has not seen yet.
type Changes struct {
	Groups    []Group // new or changed, the newest request last
	Removed   []uint64
	Forgotten uint64 // requests that no group counts any more
}

// Reader follows a log. It belongs to one goroutine.
type Reader struct {
	log  *Log
	read uint64            // the newest change that was returned
	has  map[uint64]uint64 // the groups that were returned, with their Alike
}

// Read returns a reader whose first changes are everything.
func (l *Log) Read() *Reader { return &Reader{log: l, has: map[uint64]uint64{}} }

// Wait returns when there are changes, or with the error of a context that ended.
func (r *Reader) Wait(ctx context.Context) error {
	wake := r.log.after(r.read)
	if wake == nil {
		return nil
	}
	select {
	case <-wake:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// after returns nil when there are changes after number, otherwise a channel that is closed at the next one.
func (l *Log) after(number uint64) <-chan struct{} {
	s := l.state.Lock()
	defer l.state.Unlock()
	if s.number > number {
		return nil
	}
	if s.wake == nil {
		s.wake = make(chan struct{})
	}
	return s.wake
}

// Next returns what has changed since the last call. It does not wait.
func (r *Reader) Next() Changes {
	s := r.log.state.Lock()
	defer r.log.state.Unlock()
	c := Changes{Forgotten: s.forgotten}
	newest := map[*kind]*Group{}
	for _, g := range s.groups {
		if n := newest[g.kind]; n == nil || g.changed > n.changed {
			newest[g.kind] = g
		}
	}
	there := map[uint64]uint64{}
	for _, g := range s.groups {
		shown := *g
		if newest[g.kind] == g {
			shown.Alike = g.kind.dropped
		}
		there[g.ID] = shown.Alike
		if alike, known := r.has[g.ID]; !known || g.changed > r.read || alike != shown.Alike {
			shown.Newest = slices.Clone(g.Newest)
			c.Groups = append(c.Groups, shown)
		}
	}
	for id := range r.has {
		if _, still := there[id]; !still {
			c.Removed = append(c.Removed, id)
		}
	}
	slices.Sort(c.Removed)
	slices.SortFunc(c.Groups, func(a, b Group) int { return cmp.Compare(a.changed, b.changed) })
	r.has, r.read = there, s.number
	return c
}
