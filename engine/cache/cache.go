// Package cache keeps the answers of models whose config asks for it. A request that was seen
// before is answered without an execution. It follows Triton's cache called "local"
// (docs/triton/cache.md, "What is kept"): it evicts the least recently used answer.
//
// It differs from Triton's in the definition of the same request (docs/triton/cache.md, "What is
// the same request"). Here the types, the shapes and the requested outputs must be the same too,
// and a reloaded model begins with an empty cache.
package cache

import (
	"container/list"
	"sync"
	"time"

	"conch/engine/infer"
	"conch/engine/tensor"
)

// Key identifies a request.
type Key [32]byte

// Cache is safe for concurrent use.
type Cache struct {
	limit int64

	mu      sync.Mutex // guards what follows
	entries map[Key]*list.Element
	recent  list.List // of *entry, the most recently used first
	numbers Numbers
}

type entry struct {
	key     Key
	outputs []tensor.Tensor
	labels  infer.Labels // of an ensemble's steps
	bytes   int64
}

// Numbers are the cache's counters since its creation.
type Numbers struct {
	Limit, Used               int64 // bytes
	Entries                   int
	Lookups, Hits, Misses     uint64
	Evictions                 uint64
	LookupTime, InsertionTime time.Duration
}

// New returns a cache that holds at most limit bytes.
func New(limit int64) *Cache { return &Cache{limit: limit, entries: map[Key]*list.Element{}} }

// Lookup returns a response: its outputs and their labels. The caller owns the list of outputs. Their data is shared
// and must not be changed.
func (c *Cache) Lookup(key Key) (outputs []tensor.Tensor, labels infer.Labels, found bool) {
	began := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.numbers.Lookups++
	if e := c.entries[key]; e != nil {
		c.recent.MoveToFront(e)
		c.numbers.Hits++
		kept := e.Value.(*entry)
		outputs, labels, found = append(outputs, kept.outputs...), kept.labels, true
	} else {
		c.numbers.Misses++
	}
	c.numbers.LookupTime += time.Since(began)
	return outputs, labels, found
}

// Insert stores a copy of a response if it fits and is not stored yet. It reports whether it stored the
// copy.
func (c *Cache) Insert(key Key, r *infer.Response) (inserted bool) {
	began := time.Now()
	var e *entry
	if bytes := sizeOf(r.Outputs); bytes <= c.limit {
		e = &entry{key: key, outputs: copyOf(r.Outputs), labels: r.Labels, bytes: bytes}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e != nil && c.entries[key] == nil {
		inserted = true
		c.entries[key] = c.recent.PushFront(e)
		c.numbers.Used += e.bytes
		for c.numbers.Used > c.limit {
			c.evict()
		}
	}
	c.numbers.InsertionTime += time.Since(began)
	return inserted
}

// evict drops the least recently used entry. c.mu is held.
func (c *Cache) evict() {
	e := c.recent.Remove(c.recent.Back()).(*entry)
	delete(c.entries, e.key)
	c.numbers.Used -= e.bytes
	c.numbers.Evictions++
}

// Numbers returns the cache's counters.
func (c *Cache) Numbers() Numbers {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.numbers
	n.Limit, n.Entries = c.limit, len(c.entries)
	return n
}

// overhead is about the memory of an entry, and of each of its tensors, besides their bytes.
const overhead = 128

// sizeOf returns the memory of an entry.
func sizeOf(outputs []tensor.Tensor) int64 {
	bytes := int64(overhead)
	for i := range outputs {
		t := &outputs[i]
		bytes += overhead + int64(len(t.Name)+8*len(t.Shape)+len(t.Data))
	}
	return bytes
}

func copyOf(outputs []tensor.Tensor) []tensor.Tensor {
	copies := make([]tensor.Tensor, len(outputs))
	for i, t := range outputs {
		t.Shape = append(tensor.Shape(nil), t.Shape...)
		t.Data = append([]byte(nil), t.Data...)
		copies[i] = t
	}
	return copies
}
