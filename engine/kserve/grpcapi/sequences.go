package grpcapi

import (
	"sync"

	"conch/configedit/modelconfig"
)

// sequences are the sequences of a stream that have a request under way and whose model gets their requests one by one.
type sequences struct {
	mu sync.Mutex
	// last has, for each sequence, the channel that is closed when the model is done with its last request.
	last map[sequence]chan struct{}
}

// sequence is a sequence of a version of a model: others may have one with the same id.
type sequence struct {
	version *modelconfig.ModelConfig // however a request names it
	id      uint64
	name    string
}

func sequenceOf(f *inference) sequence {
	return sequence{version: f.Config(), id: f.Sequence.ID, name: f.Sequence.Name}
}

// join adds a request to its sequence. It returns what the request waits for: the request before it, or nil.
func (s *sequences) join(of sequence, served chan struct{}) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.last[of]
	s.last[of] = served
	return before
}

// leave removes the sequence if no later request has joined it.
func (s *sequences) leave(of sequence, served chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last[of] == served {
		delete(s.last, of)
	}
}
