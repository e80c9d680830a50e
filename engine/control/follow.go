package control

import (
	"bytes"
	"context"
	"slices"
	"time"

	"conch/engine/model"
)

// follower compares each listing with the Manager's state, and begins the operations that follow from it.
type follower struct {
	*core
	ops *operations
}

// seeRoots records the first state of the repositories.
func (f *follower) seeRoots() {
	s := f.state.Lock()
	defer f.state.Unlock()
	s.roots.see(s.listing, f.settle)
}

// followAll acts on each new listing. Poll mode also reads the repository at intervals, as Triton does.
func (f *follower) followAll(ctx context.Context, listings <-chan *Listing) {
	var tick <-chan time.Time
	if f.o.Mode == Poll {
		ticker := time.NewTicker(f.o.PollEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	f.follow(f.o.Models.Current()) // changes during the first loads
	for {
		select {
		case l, open := <-listings:
			if !open {
				listings = nil // the source has closed and sends nothing more
				continue
			}
			f.follow(l)
		case <-tick:
			l, err := f.o.Models.Refresh(ctx)
			if err != nil {
				f.log.Warn("looking at the repository", "error", err)
				continue
			}
			f.follow(l)
		case <-ctx.Done():
			return
		}
	}
}

// follow begins the operations for a listing in the background. Groups of related models run at the same time.
func (f *follower) follow(l *Listing) {
	orders := f.changesIn(f.accept(l))
	defer f.enlisted(orders)
	names := make([]string, 0, len(orders))
	for name := range orders {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return
	}
	for _, group := range components(names, f.ties()) {
		part := map[string]order{}
		for _, name := range group {
			part[name] = orders[name]
		}
		r := f.ops.enlist(f.life, part) // at once, so that the next listing finds it under way
		if r == nil {
			return
		}
		go r.carryOut()
	}
}

// enlisted records that a listing's orders are enlisted.
func (f *follower) enlisted(asked map[string]order) {
	s := f.state.Lock()
	defer f.state.Unlock()
	s.orders.enlisted(asked)
}

// accept stores a listing and tells watchers which models were added and removed. It returns the newest listing: a request may have
// accepted a newer one while this one was on its way, and a model that this one does not have yet must not be unloaded for it.
func (f *follower) accept(l *Listing) *Listing {
	s := f.state.Lock()
	old := s.listing
	if l.Seq < old.Seq {
		f.state.Unlock()
		return old
	}
	s.listing = l
	var news []Happening
	var changed []string
	if old != l {
		news = s.roots.see(l, f.settle)
		changed = s.models.seeImports(l)
	}
	f.state.Unlock()
	if old == l {
		return l
	}
	for _, h := range news {
		f.log.Log(context.Background(), h.level(), h.Reason)
		f.hub.happened(h)
		f.hub.serverChanged()
	}
	f.hub.changed(changed...)
	before, after := f.names.keysOf(old), f.names.keysOf(l)
	f.hub.changed(without(before, after)...)
	f.hub.changed(without(after, before)...)
	return l
}

// settle returns a timer. When it ends, the repository counts as complete.
func (f *follower) settle(path string) *time.Timer {
	var timer *time.Timer
	timer = time.AfterFunc(rootSettles, func() {
		s := f.state.Lock()
		whole := !s.closing && s.roots.whole(path, timer)
		f.state.Unlock()
		if whole {
			f.follow(f.o.Models.Current())
		}
	})
	return timer
}

// changesIn compares a listing with the last looks. Models that follow their files get orders. For
// other models it records whether they have changed.
func (f *follower) changesIn(l *Listing) map[string]order {
	if f.o.Mode == None {
		return nil
	}
	s := f.state.Lock()
	orders, noted := s.changesIn(l)
	f.state.Unlock()
	slices.Sort(noted)
	f.hub.changed(noted...)
	return orders
}

// changesIn returns the orders for a listing, and the models whose changed mark it has changed.
func (s *state) changesIn(l *Listing) (orders map[string]order, noted []string) {
	orders = map[string]order{}
	there := map[string]bool{}
	for i := range l.Models {
		key := s.names.keyOf(&l.Models[i])
		if there[key] {
			continue
		}
		there[key] = true
		e := s.models.entries[key]
		switch o, due := s.changeOf(key, s.names.find(l, key)); {
		case due && s.follows(key):
			orders[key] = o
		case e != nil && e.note(due && len(e.serving) > 0):
			noted = append(noted, key)
		}
	}
	for key, e := range s.models.entries {
		switch {
		case there[key] || !s.isGone(key, e):
		case s.follows(key):
			orders[key] = order{action: unload}
		case len(e.serving) > 0 && e.note(true):
			noted = append(noted, key)
		}
	}
	s.followed = l
	for key := range orders {
		s.orders.coming[key]++
	}
	return orders, noted
}

// retry reloads a model, unless something has happened to it meanwhile.
func (f *follower) retry(key string, failed *failure) {
	if f.life.Err() != nil {
		return
	}
	if _, err := f.o.Models.Refresh(f.life, f.names.identity(key).name); err != nil {
		f.log.Warn("looking at the repository", "error", err)
	}
	f.accept(f.o.Models.Current())
	if !f.isStill(key, failed) {
		return
	}
	if r := f.ops.enlist(f.life, map[string]order{key: {action: loadModel, again: true}}); r != nil {
		r.carryOut()
	}
}

// isStill reports whether a failure is still the newest event of a model.
func (f *follower) isStill(key string, failed *failure) bool {
	s := f.state.Lock()
	defer f.state.Unlock()
	e := s.models.entries[key]
	return e != nil && e.failed == failed && s.orders.newest(key) == nil
}

// ties returns the parts of every ensemble on disk. It reads only configs that mention an ensemble.
func (f *follower) ties() map[string][]string {
	parts := map[string][]string{}
	listing := f.o.Models.Current()
	for i := range listing.Models {
		found := &listing.Models[i]
		if !bytes.Contains(found.ConfigText, []byte("ensemble_scheduling")) {
			continue
		}
		key := f.names.keyOf(found)
		if known := f.knownParts(key, found); len(known) > 0 {
			parts[key] = known
			continue
		}
		p, err := f.o.Loader.Define(model.Source{Name: found.Name, Dir: found.Dir,
			ConfigPath: found.ConfigPath, ConfigText: found.ConfigText})
		if err == nil {
			parts[key] = f.partKeys(key, p.Parts())
		}
	}
	return parts
}

func (f *follower) partKeys(key string, parts []string) []string {
	s := f.state.Lock()
	defer f.state.Unlock()
	return s.partKeys(key, parts)
}

// knownParts returns the parts of an ensemble whose config was read before and has not changed.
func (f *follower) knownParts(key string, found *Found) []string {
	s := f.state.Lock()
	defer f.state.Unlock()
	e := s.models.entries[key]
	if e == nil || e.tried.config != found.ConfigPrint || e.tried.override != "" {
		return nil
	}
	return s.partsOf(key)
}

// without returns the names of a sorted list that are not in the other list.
func without(list, other []string) (rest []string) {
	for _, name := range list {
		if _, found := slices.BinarySearch(other, name); !found {
			rest = append(rest, name)
		}
	}
	return rest
}
