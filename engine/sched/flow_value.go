package sched

import (
	"sync/atomic"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// track holds the values of one tensor: one, or one for each response of a decoupled step. Values belong together that have
// the same place in their tracks. As in Triton (its iteration count) a decoupled step's take the next place; unlike there,
// what a step makes that answers once has the place of what it was made of, no matter which is faster.
type track struct {
	first  int // the place of values[0]; those before are used up
	values []value
}

// value is a tensor that is there, or is known not to come: an optional one that was left out.
type value struct {
	tensor.Tensor
	there  bool
	batch  int64 // of the request that brought it
	absent bool
	uses   int // left
	memory *memory
	labels infer.Labels // of the response that brought it; nil for none
	// sequence is that of the request that brought it, or what its response said; told tells that there is one.
	sequence infer.Sequence
	told     bool
}

// has reports whether the value at a place has come.
func (r *track) has(at int) bool {
	return at < r.first || at < r.next() && r.values[at-r.first].there
}

// next is the place behind all values.
func (r *track) next() int { return r.first + len(r.values) }

// put sets a place's value.
func (r *track) put(at int, v value) {
	for at >= r.next() {
		r.values = append(r.values, value{})
	}
	v.there = true
	r.values[at-r.first] = v
}

// at is a value that has come and is not used up; nil for any other.
func (r *track) at(at int) *value {
	if at < r.first || !r.has(at) {
		return nil
	}
	return &r.values[at-r.first]
}

// use takes a value for the last time by one of those who need it.
func (r *track) use(at int) {
	v := r.at(at)
	if v == nil {
		return
	}
	if v.uses--; v.uses == 0 {
		v.memory.drop()
		v.memory, v.Tensor = nil, tensor.Tensor{}
	}
	for len(r.values) > 0 && r.values[0].there && r.values[0].uses <= 0 {
		r.first++
		r.values = r.values[1:]
	}
}

// memory is what the outputs of a response borrow: given back when nobody needs any of them. nil is nothing.
type memory struct {
	users   atomic.Int64
	release func()
}

// borrowed takes over a response's memory, for one user.
func borrowed(r *infer.Response) *memory {
	if r.Release == nil {
		return nil
	}
	m := &memory{release: r.Release}
	r.Release = nil
	m.users.Store(1)
	return m
}

func (m *memory) keep() *memory {
	if m != nil {
		m.users.Add(1)
	}
	return m
}

func (m *memory) drop() {
	if m != nil && m.users.Add(-1) == 0 {
		m.release()
	}
}
