package control

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"conch/engine/infer"
)

// Run loads the models of the start, then follows the repositories as the mode says, until ctx ends. started is
// called once, with the number of models that failed. Call Close after Run.
func (m *Manager) Run(ctx context.Context, started func(failed int)) error {
	listings, cancel := m.o.Models.Subscribe()
	defer cancel()
	names, err := m.atStart()
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, m.end)() // running loads do not delay the end
	first := m.beginAtStart(names)
	var starting sync.WaitGroup
	starting.Go(func() {
		failed := first()
		if ctx.Err() != nil {
			return
		}
		m.state.Lock().started = true
		m.state.Unlock()
		m.hub.serverChanged()
		started(failed)
	})
	m.follower.followAll(ctx, listings) // from the beginning, so that a model whose load hangs can be fixed
	if !m.o.LeaveMemory {               // otherwise nobody needs to wait for a load that is given up
		starting.Wait()
	}
	return nil
}

// atStart returns the models that are loaded at the start (docs/triton/loading.md, "Modes").
func (m *Manager) atStart() ([]string, error) {
	listing := m.o.Models.Current()
	m.follower.accept(listing)
	if m.o.Mode != Explicit {
		return m.names.keysOf(listing), nil
	}
	if !slices.Contains(m.o.LoadModels, "*") {
		var keys []string
		for _, name := range m.o.LoadModels {
			keys = append(keys, m.names.keysFor(listing, name)...)
		}
		return keys, nil
	}
	if len(m.o.LoadModels) > 1 {
		return nil, infer.Errorf(infer.InvalidArg,
			"Wildcard model name '*' must be the ONLY startup model if specified at all.")
	}
	return m.names.keysOf(listing), nil
}

// beginAtStart enlists the loads of the start. finish carries them out and counts the failed ones.
func (m *Manager) beginAtStart(names []string) (finish func() (failed int)) {
	var runs []*run
	for _, group := range components(names, m.follower.ties()) {
		orders := map[string]order{}
		for _, name := range group {
			orders[name] = order{action: loadModel, explicit: true}
		}
		if r := m.ops.enlist(m.life, orders); r != nil {
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

// settle waits for the orders that ended loads of the start, and counts the models that failed in
// the end.
func (m *Manager) settle(failures map[string]*failure) (failed int64) {
	for name, f := range failures {
		if !f.superseded || m.ops.failedAfter(name) {
			failed++
		}
	}
	return failed
}
