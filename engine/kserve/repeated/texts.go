package repeated

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
)

const (
	// Longest is the longest text that is kept. It holds the inputs and outputs of most requests whose tensors are binary.
	Longest = 1 << 10
	// most is how many texts are kept at most. What was read from them takes two megabytes at most, and mostly a tenth of one.
	most = 64
)

// Texts keeps texts, each with what was read from it. It keeps a text when it comes a second time, so that texts that all differ cost no
// memory. Safe for concurrent use.
type Texts[T any] struct {
	seed  maphash.Seed
	slots [most]slot[T]
}

// slot keeps one text.
type slot[T any] struct {
	seen atomic.Uint64 // the hash of the newest text that was not the kept one
	kept atomic.Pointer[entry[T]]
}

// entry is a text with what was read from it. Nobody changes either.
type entry[T any] struct {
	text []byte
	read *T
}

// NewTexts returns what keeps no text yet.
func NewTexts[T any]() *Texts[T] { return &Texts[T]{seed: maphash.MakeSeed()} }

// Find returns what was read from a text that is kept, otherwise nil.
func (t *Texts[T]) Find(text []byte) *T {
	if len(text) > Longest {
		return nil
	}
	at, _ := t.of(text)
	if had := at.kept.Load(); had != nil && bytes.Equal(had.text, text) {
		return had.read
	}
	return nil
}

func (t *Texts[T]) of(text []byte) (at *slot[T], hash uint64) {
	hash = maphash.Bytes(t.seed, text)
	return &t.slots[hash%most], hash
}

// Again notes a text that is not kept, and reports whether it came before. Then the caller should keep it.
func (t *Texts[T]) Again(text []byte) bool {
	if len(text) > Longest {
		return false
	}
	at, hash := t.of(text)
	return at.seen.Swap(hash) == hash
}

// Keep keeps a text with what was read from it. Nobody may change either any more.
func (t *Texts[T]) Keep(text []byte, read *T) {
	at, _ := t.of(text)
	at.kept.Store(&entry[T]{text, read})
}
