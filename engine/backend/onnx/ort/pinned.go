package ort

// #include "shim.h"
import "C"

import "unsafe"

// Pinned is memory of this machine from which a CUDA device copies directly. The driver first copies from any other memory
// into some of its own. It is closed before the session.
type Pinned struct {
	library *Library
	c       C.conch_pinned
	size    int
}

// Pinned takes memory from the session's CUDA provider. Its error is ONNX Runtime's; the caller can do without.
func (s *Session) Pinned(device, size int) (*Pinned, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.native == nil {
		return nil, errClosed
	}
	p := &Pinned{library: s.library, size: size}
	var cErr C.conch_error
	C.conch_pinned_new(s.library.c, s.native, C.int(device), C.size_t(size), &p.c, &cErr)
	if err := take(&cErr); err != nil {
		return nil, err
	}
	return p, nil
}

// Bytes are the memory, until Close.
func (p *Pinned) Bytes() []byte { return unsafe.Slice((*byte)(p.c.data), p.size) }

// Close gives the memory back. Closing twice is harmless.
func (p *Pinned) Close() { C.conch_pinned_free(p.library.c, &p.c) }
