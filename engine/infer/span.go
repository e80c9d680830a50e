package infer

import (
	"crypto/rand"
	"encoding/hex"
)

// Span is the place of a request in a trace that several programs make together (W3C Trace Context). The zero value is
// none.
type Span struct {
	Trace [16]byte
	ID    [8]byte
	State string // of the trace, as its makers write it
}

// Valid reports whether there is a place.
func (s Span) Valid() bool { return s.Trace != [16]byte{} && s.ID != [8]byte{} }

// Traceparent returns the value of the header traceparent for requests that belong below this place.
func (s Span) Traceparent() string {
	return "00-" + hex.EncodeToString(s.Trace[:]) + "-" + hex.EncodeToString(s.ID[:]) + "-01"
}

// below returns the place of a request that this one made.
func (s Span) below() Span {
	if !s.Valid() {
		return Span{}
	}
	_, _ = rand.Read(s.ID[:]) // it never fails
	return s
}
