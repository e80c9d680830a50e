package jsondoc

import (
	"bytes"
	"hash/maphash"
	"sync/atomic"
)

const (
	// longestKnown is the longest text that is kept. It holds the inputs and outputs of most requests whose tensors are binary.
	longestKnown = 1 << 10
	// mostKnown is how many texts are kept at most. What was parsed of them takes two megabytes at most, and mostly a tenth of one.
	mostKnown = 64
)

// Known parses texts that come again and again once: the requests of a client often differ in their binary tensors alone. It
// keeps a text when it comes a second time, so that texts that all differ cost no memory. Safe for concurrent use.
type Known struct {
	seed  maphash.Seed
	slots [mostKnown]slot
}

// slot keeps one text.
type slot struct {
	seen atomic.Uint64 // the hash of the newest text that was not the kept one
	kept atomic.Pointer[known]
}

// known is a text with what was parsed of it. Nobody changes either.
type known struct {
	text []byte
	doc  Value
}

// NewKnown returns one that knows no text.
func NewKnown() *Known { return &Known{seed: maphash.MakeSeed()} }

// Find returns what was parsed of a text that is kept, otherwise nil.
func (k *Known) Find(src []byte) *Value {
	if len(src) > longestKnown {
		return nil
	}
	at, _ := k.of(src)
	if had := at.kept.Load(); had != nil && bytes.Equal(had.text, src) {
		return &had.doc
	}
	return nil
}

func (k *Known) of(src []byte) (at *slot, hash uint64) {
	hash = maphash.Bytes(k.seed, src)
	return &k.slots[hash%mostKnown], hash
}

// ParseWithin does what the function of that name does, for a text that is not kept yet.
func (k *Known) ParseWithin(src []byte, grow func(bytes int64) error) (*Value, error) {
	if len(src) > longestKnown {
		return ParseWithin(src, grow)
	}
	at, hash := k.of(src)
	if at.seen.Swap(hash) != hash {
		return ParseWithin(src, grow)
	}
	next := &known{text: bytes.Clone(src)}
	doc, err := parseWithin(next.text, grow, true)
	if err != nil {
		return nil, err
	}
	next.doc = *doc
	at.kept.Store(next)
	return &next.doc, nil
}
