package scan

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// rootState is what an Index knows of one root; it is never changed after
// the Index is made.
type rootState struct {
	root    Root
	entries map[string]entry
	problem *Problem

	// listed and keep matter only while the state is being made.
	listed []string
	keep   map[string]bool
}

// state returns the part of one root; the zero state if there is none yet.
func (x *Index) state(i int) rootState {
	if x == nil || i >= len(x.states) {
		return rootState{}
	}
	return x.states[i]
}

// shared replaces what equals old by old itself, and takes over what is kept.
func (r rootState) shared(old rootState) rootState {
	for name, e := range r.entries {
		if e == (entry{}) {
			delete(r.entries, name)
			continue
		}
		if was, ok := old.entries[name]; ok && e.same(was) {
			r.entries[name] = was
		}
	}
	for name := range r.keep {
		if was, ok := old.entries[name]; ok {
			r.entries[name] = was
		}
	}
	if old.problem != nil && r.problem != nil && *old.problem == *r.problem {
		r.problem = old.problem
	}
	r.listed, r.keep = nil, nil
	return r
}

// set notes what an entry has become; nothing at all when it is gone.
func (r *rootState) set(name string, e entry) {
	if r.entries == nil {
		r.entries = map[string]entry{}
	}
	if e == (entry{}) {
		delete(r.entries, name)
		return
	}
	r.entries[name] = e
}

// lost reports whether an entry that was there is gone.
func (r rootState) lost(old rootState) bool {
	for name, e := range r.entries {
		if e == (entry{}) && old.entries[name] != (entry{}) {
			return true
		}
	}
	return false
}

// same reports whether an entry reads as it did before.
func (e entry) same(old entry) bool {
	return samePtr(e.stray, old.stray) && samePtr(e.problem, old.problem) && e.model.same(old.model)
}

func samePtr[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func (m *Model) same(old *Model) bool {
	if m == old || m == nil || old == nil {
		return m == old
	}
	return m.Fingerprint == old.Fingerprint && bytes.Equal(m.ConfigText, old.ConfigText) &&
		slices.Equal(m.Problems, old.Problems) && slices.Equal(m.Subdirs, old.Subdirs)
}

// equal reports whether two states of a root show the same.
func (r rootState) equal(old rootState) bool {
	if r.root != old.root || r.problem != old.problem || len(r.entries) != len(old.entries) {
		return false
	}
	for name, e := range r.entries {
		if old.entries[name] != e {
			return false
		}
	}
	return true
}

// assemble makes the Index of some states, or returns prev if it has them.
func assemble(prev *Index, states []rootState) *Index {
	if prev != nil && slices.EqualFunc(states, prev.states, rootState.equal) {
		return prev
	}
	x := &Index{Seq: 1, states: states}
	if prev != nil {
		x.Seq, x.Outside = prev.Seq+1, prev.Outside
	}
	for _, state := range states {
		x.add(state)
	}
	order := func(root string) int {
		return slices.IndexFunc(x.Roots, func(r Root) bool { return r.Path == root })
	}
	slices.SortFunc(x.Models, func(a, b *Model) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(order(a.Root), order(b.Root)))
	})
	slices.SortFunc(x.Strays, func(a, b Stray) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(x.Problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return x
}

func (x *Index) add(state rootState) {
	x.Roots = append(x.Roots, state.root)
	if state.problem != nil {
		x.Problems = append(x.Problems, *state.problem)
	}
	for _, e := range state.entries {
		if e.model != nil {
			x.Models = append(x.Models, e.model)
		}
		if e.stray != nil {
			x.Strays = append(x.Strays, *e.stray)
		}
		if e.problem != nil {
			x.Problems = append(x.Problems, *e.problem)
		}
	}
}
