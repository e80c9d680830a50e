package model

import (
	"sync"

	"conch/engine/infer"
)

// CallGraph knows which executions wait for which models now. All models of an engine share one. The zero value is ready.
type CallGraph struct {
	mu sync.Mutex // guards what follows
	// running are the executions of models that may call others, by the load of their model.
	running map[uint64]map[*infer.Caller]waits
}

// waits are the loads that an execution waits for; nil before it has waited for any.
type waits map[uint64]*wait

// wait is for how many answers of a load an execution waits, and how many instances that has.
type wait struct{ count, instances int }

// begin notes an execution that may call other models.
func (g *CallGraph) begin(by *infer.Caller) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running == nil {
		g.running = map[uint64]map[*infer.Caller]waits{}
	}
	if g.running[by.Load] == nil {
		g.running[by.Load] = map[*infer.Caller]waits{}
	}
	g.running[by.Load][by] = nil
}

// end notes that an execution has ended: its instance is free for others.
func (g *CallGraph) end(by *infer.Caller) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.running[by.Load], by)
	if len(g.running[by.Load]) == 0 {
		delete(g.running, by.Load)
	}
}

// wait notes that an execution waits for a load, which has so many instances. It reports false, and notes nothing, when none
// of these can become free before the execution ends. The function notes that it waits no longer.
func (g *CallGraph) wait(by *infer.Caller, load uint64, instances int) (over func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	of, runs := g.running[by.Load][by]
	if !runs {
		return func() {}, true // the execution has ended, and holds no instance
	}
	if of == nil {
		of = waits{}
		g.running[by.Load][by] = of
	}
	w := of[load]
	if w == nil {
		w = &wait{instances: instances}
		of[load] = w
	}
	w.count++
	left := func() {
		if w.count--; w.count == 0 {
			delete(of, load)
		}
	}
	if !g.progress()[load] && len(g.running[load]) >= instances {
		left()
		return nil, false
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		left()
	}, true
}

// progress returns the loads with executions of which one can end: one that waits for nothing, or only for loads with a
// free instance or with executions that can end. What is not found that way waits in a circle. The caller holds g.mu.
func (g *CallGraph) progress() map[uint64]bool {
	able := map[uint64]bool{}
	for grown := true; grown; {
		grown = false
		for load, executions := range g.running {
			if !able[load] && g.oneEnds(executions, able) {
				able[load], grown = true, true
			}
		}
	}
	return able
}

func (g *CallGraph) oneEnds(executions map[*infer.Caller]waits, able map[uint64]bool) bool {
	for _, of := range executions {
		stuck := false
		for load, w := range of {
			stuck = stuck || len(g.running[load]) >= w.instances && !able[load]
		}
		if !stuck {
			return true
		}
	}
	return false
}
