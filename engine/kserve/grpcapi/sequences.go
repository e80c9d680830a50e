package grpcapi

import (
	"sync"

	"conch/engine/infer"
)

// sequences are the sequences of a stream that have a request under way. The requests of a sequence must reach the
// model one after the other.
type sequences struct {
	mu sync.Mutex
	// last has, for each sequence, the channel that is closed when the model is done with its last request.
	last map[infer.Sequence]chan struct{}
}

// inSequence reports whether a request is one of a sequence.
func inSequence(of infer.Sequence) bool { return of.ID != 0 || of.Name != "" }

// join adds a request to its sequence. It returns what the request waits for: the request before it, or nil.
func (s *sequences) join(of infer.Sequence, served chan struct{}) <-chan struct{} {
	if !inSequence(of) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := infer.Sequence{ID: of.ID, Name: of.Name}
	before := s.last[key]
	s.last[key] = served
	return before
}

// leave removes the sequence if no later request has joined it.
func (s *sequences) leave(of infer.Sequence, served chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := infer.Sequence{ID: of.ID, Name: of.Name}
	if s.last[key] == served {
		delete(s.last, key)
	}
}
