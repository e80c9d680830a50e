package refusals

import (
	"time"

	"conch/engine/guarded"
)

// The bounds of a log. A group holds at most about 4 KB of text, so a log holds less than half a megabyte.
const (
	maxGroups = 100 // of requests that are equal but for their time, client and ID
	maxAlike  = 20  // groups of one kind
	maxNewest = 5   // requests of one group that are kept one by one
)

// Refusal is a request that was answered with an error.
type Refusal struct {
	Port           string // "HTTP", "gRPC", "metrics"
	Method         string // "POST" or "ModelInfer"
	Path           string // of an HTTP request, without its query
	Model, Version string // as the client asked for them; "" when unknown
	Status         string // "400 Bad Request", "INVALID_ARGUMENT"
	Reason         string // as the client got it; Add cuts off the ID that it begins with
	Client         string // its address
	ID             string // the request's own, "" without one
	// Ran is true when the failures of its model count it: it had reached the queue, and the model had not answered it.
	Ran bool
}

// Request is a single request of a group.
type Request struct {
	Time       time.Time
	Client, ID string
}

// what makes requests equal.
type what struct {
	Port, Method, Path, Model, Version, Status, Reason string
	Ran                                                bool
}

// Group are requests that were refused alike.
type Group struct {
	what
	ID     uint64
	Count  uint64
	First  time.Time
	Newest []Request // newest first; the others are only counted
	// Alike counts requests like these, with other names or numbers, whose groups are no longer kept. Of the groups
	// of a kind only the newest has it.
	Alike uint64

	kind    *kind
	changed uint64
}

// kindName is what refusals have in common whose reasons differ in names and numbers only.
type kindName struct{ port, status, text string }

type kind struct {
	name    kindName
	groups  int
	dropped uint64 // requests whose groups are no longer kept
}

// Log keeps the newest refusals. The zero value is ready. A nil log keeps nothing.
type Log struct {
	// Now is the clock; nil for the system's.
	Now   func() time.Time
	state guarded.Value[state]
}

type state struct {
	groups map[what]*Group
	kinds  map[kindName]*kind
	number uint64 // of the newest change
	// forgotten counts requests of kinds that have no group any more.
	forgotten uint64
	wake      chan struct{} // closed at the next change; nil while nobody waits
}

// Add keeps a refusal.
func (l *Log) Add(r Refusal) {
	if l == nil {
		return
	}
	now := time.Now
	if l.Now != nil {
		now = l.Now
	}
	w := what{
		Port: r.Port, Method: safe(r.Method, longestID), Path: safe(r.Path, longestName), Model: safe(r.Model, longestName),
		Version: safe(r.Version, longestID), Status: r.Status, Reason: safe(withoutID(r.Reason, r.ID), longestReason), Ran: r.Ran,
	}
	one := Request{Time: now(), Client: safe(r.Client, longestID), ID: safe(r.ID, longestID)}
	s := l.state.Lock()
	defer l.state.Unlock()
	s.add(w, one)
}

func (s *state) add(w what, r Request) {
	g := s.groups[w]
	if g == nil {
		g = s.begin(w, r.Time)
	}
	s.number++
	g.Count++
	g.changed = s.number
	if len(g.Newest) < maxNewest {
		g.Newest = append(g.Newest, Request{})
	}
	copy(g.Newest[1:], g.Newest)
	g.Newest[0] = r
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}

// begin makes a group, and room for it.
func (s *state) begin(w what, now time.Time) *Group {
	if s.groups == nil {
		s.groups, s.kinds = map[what]*Group{}, map[kindName]*kind{}
	}
	name := kindName{w.Port, w.Status, kindOf(w.Reason)}
	k := s.kinds[name]
	if k == nil {
		k = &kind{name: name}
		s.kinds[name] = k
	}
	k.groups++
	switch {
	case k.groups > maxAlike:
		s.drop(s.oldest(k))
	case len(s.groups) == maxGroups:
		s.drop(s.oldest(nil))
	}
	s.number++
	g := &Group{what: w, ID: s.number, First: now, kind: k}
	s.groups[w] = g
	return g
}

// oldest returns the group of a kind, or of all for nil, that has had no request for the longest time.
func (s *state) oldest(of *kind) *Group {
	var oldest *Group
	for _, g := range s.groups {
		if (of == nil || g.kind == of) && (oldest == nil || g.changed < oldest.changed) {
			oldest = g
		}
	}
	return oldest
}

// drop forgets a group; its kind, or the log, keeps the count.
func (s *state) drop(g *Group) {
	delete(s.groups, g.what)
	k := g.kind
	k.groups--
	k.dropped += g.Count
	if k.groups == 0 {
		s.forgotten += k.dropped
		delete(s.kinds, k.name)
	}
}
