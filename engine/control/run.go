package control

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/infer"
	"conch/engine/model"
)

// Run loads what is wanted at start, then follows the library as the mode asks for, until ctx ends. started is
// called once, with the number of models that failed. Close comes after Run.
func (m *Manager) Run(ctx context.Context, started func(failed int)) error {
	listings, cancel := m.o.Library.Subscribe()
	defer cancel()
	names, err := m.atStart()
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, m.end)() // what is being loaded keeps nobody
	first := m.beginAtStart(names)
	var starting sync.WaitGroup
	starting.Go(func() {
		failed := first()
		if ctx.Err() != nil {
			return
		}
		m.mu.Lock()
		m.started = true
		m.mu.Unlock()
		m.hub.serverChanged()
		started(failed)
	})
	m.followAll(ctx, listings) // from the first moment: a model that does not come to an end can be mended
	if !m.o.LeaveMemory {      // otherwise nobody needs to wait for a load that is given up
		starting.Wait()
	}
	return nil
}

// atStart are the models that are loaded at the start (docs/triton/loading.md, "Modes").
func (m *Manager) atStart() ([]string, error) {
	listing := m.o.Library.Current()
	m.accept(listing)
	if m.o.Mode != Explicit {
		return m.keysOf(listing), nil
	}
	if !slices.Contains(m.o.LoadModels, "*") {
		var keys []string
		for _, name := range m.o.LoadModels {
			keys = append(keys, m.keysFor(listing, name)...)
		}
		return keys, nil
	}
	if len(m.o.LoadModels) > 1 {
		return nil, infer.Errorf(infer.InvalidArg, "Wildcard model name '*' must be the ONLY startup model if specified at all.")
	}
	return m.keysOf(listing), nil
}

// beginAtStart enlists the loads of the start. The function carries them out and counts what did not load.
func (m *Manager) beginAtStart(names []string) (finish func() (failed int)) {
	var runs []*run
	for _, group := range components(names, m.ties()) {
		orders := map[string]order{}
		for _, name := range group {
			orders[name] = order{action: loadModel, explicit: true}
		}
		if r := m.enlist(m.life, orders); r != nil {
			runs = append(runs, r)
		}
	}
	return func() int {
		var failed atomic.Int64
		var all sync.WaitGroup
		for _, r := range runs {
			all.Go(func() { failed.Add(m.settle(r.carryOut())) })
		}
		all.Wait()
		return int(failed.Load())
	}
}

// settle waits for those who ended loads of the start, and counts what did not load in the end.
func (m *Manager) settle(failures map[string]*failure) (failed int64) {
	for name, f := range failures {
		if !f.superseded || m.failedAfter(name) {
			failed++
		}
	}
	return failed
}

// failedAfter waits for the newer orders for a model whose load was ended, and says whether it is wanted and does not serve.
func (m *Manager) failedAfter(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t := m.newest(name); t != nil; t = m.newest(name) {
		m.mu.Unlock()
		<-t.run.over
		m.mu.Lock()
	}
	e := m.entries[name]
	return e != nil && e.wanted && len(e.serving) == 0
}

// ties are the parts of every ensemble on disk. Only configs that speak of one are read for it.
func (m *Manager) ties() map[string][]string {
	parts := map[string][]string{}
	listing := m.o.Library.Current()
	for i := range listing.Models {
		f := &listing.Models[i]
		if !bytes.Contains(f.ConfigText, []byte("ensemble_scheduling")) {
			continue
		}
		key := m.keyOf(f)
		if known := m.knownParts(key, f); len(known) > 0 {
			parts[key] = known
			continue
		}
		p, err := m.o.Loader.Plan(model.Source{Name: f.Name, Dir: f.Dir, ConfigPath: f.ConfigPath, ConfigText: f.ConfigText})
		if err == nil {
			parts[key] = m.partKeysOf(key, p.Parts())
		}
	}
	return parts
}

// knownParts is what an ensemble is made of, where its config was read before and has not changed.
func (m *Manager) knownParts(key string, f *Found) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[key]
	if e == nil || e.tried.config != f.ConfigPrint || e.tried.override != "" {
		return nil
	}
	return m.partKeys(key, e.parts)
}

// followAll acts on each new listing. Poll mode also looks for itself from time to time, as Triton does.
func (m *Manager) followAll(ctx context.Context, listings <-chan *Listing) {
	var tick <-chan time.Time
	if m.o.Mode == Poll {
		ticker := time.NewTicker(m.o.PollEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	m.follow(m.o.Library.Current()) // what changed while the first models were loaded
	for {
		select {
		case l, open := <-listings:
			if !open {
				listings = nil // the library has closed; there is no more news
				continue
			}
			m.follow(l)
		case <-tick:
			l, err := m.o.Library.Refresh(ctx)
			if err != nil {
				m.log.Warn("looking at the repository", "error", err)
				continue
			}
			m.follow(l)
		case <-ctx.Done():
			return
		}
	}
}

// follow begins what a listing asks for, in the background: groups of models that are tied together go side by
// side.
func (m *Manager) follow(l *Listing) {
	m.accept(l)
	orders := m.changesIn(l)
	defer m.enlisted(orders)
	names := make([]string, 0, len(orders))
	for name := range orders {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return
	}
	for _, group := range components(names, m.ties()) {
		part := map[string]order{}
		for _, name := range group {
			part[name] = orders[name]
		}
		r := m.enlist(m.life, part) // at once, so that the next listing finds it under way
		if r == nil {
			return
		}
		go r.carryOut()
	}
}

// enlisted notes that the orders which a listing asked for have been enlisted.
func (m *Manager) enlisted(orders map[string]order) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range orders {
		if m.coming[name]--; m.coming[name] == 0 {
			delete(m.coming, name)
		}
	}
}

// accept takes note of a listing and tells watchers which models came and went.
func (m *Manager) accept(l *Listing) {
	m.mu.Lock()
	old := m.listing
	m.listing = l
	var news []Happening
	if old != l {
		news = m.lookAtRoots(l)
	}
	m.mu.Unlock()
	if old == l {
		return
	}
	for _, h := range news {
		m.log.Log(context.Background(), h.level(), h.Reason)
		m.hub.happened(h)
		m.hub.serverChanged()
	}
	before, after := m.keysOf(old), m.keysOf(l)
	m.hub.changed(without(before, after)...)
	m.hub.changed(without(after, before)...)
}

// without gives the names of a sorted list that are not in the other.
func without(list, other []string) (rest []string) {
	for _, name := range list {
		if _, found := slices.BinarySearch(other, name); !found {
			rest = append(rest, name)
		}
	}
	return rest
}
