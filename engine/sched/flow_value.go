package sched

import (
	"sync/atomic"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// track holds the values of one tensor: one value, or one for each response of a decoupled step. Values with the same
// place in their tracks belong together. As in Triton (its iteration count), the values of a decoupled step take the
// next place. Unlike in Triton, the outputs of a step with one response have the place of its inputs, even if a later
// turn is faster.
type track struct {
	first  int // the place of values[0]; all values before it are used up
	values []value
}

// value is a tensor, or stands for an optional tensor that was left out.
type value struct {
	tensor.Tensor
	there  bool
	batch  int64 // of the request that brought it
	absent bool
	uses   int // left
	memory *memory
	labels infer.Labels // of the response that brought it; nil for none
	// sequence is the sequence of the value's request or response; told is true if there is one.
	sequence infer.Sequence
	told     bool
}

// has reports whether the value at a place has come.
func (r *track) has(at int) bool {
	return at < r.first || at < r.next() && r.values[at-r.first].there
}

// next returns the place behind all values.
func (r *track) next() int { return r.first + len(r.values) }

// put sets a place's value.
func (r *track) put(at int, v value) {
	for at >= r.next() {
		r.values = append(r.values, value{})
	}
	v.there = true
	r.values[at-r.first] = v
}

// at returns a value that has come and is not used up; nil otherwise.
func (r *track) at(at int) *value {
	if at < r.first || !r.has(at) {
		return nil
	}
	return &r.values[at-r.first]
}

// use records that one of the value's readers is done with it.
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

// memory is the memory of a response's outputs. It is freed when nobody needs any of them. nil stands for no
// memory.
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
