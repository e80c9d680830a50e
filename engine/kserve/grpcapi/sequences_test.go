package grpcapi

import (
	"fmt"
	"testing"

	"conch/configedit/modelconfig"
)

// A request waits for the one before it in its sequence. A sequence without a request under way takes no memory, even
// if no request has ended it.
func TestSequencesAreForgotten(t *testing.T) {
	s := sequences{last: map[sequence]chan struct{}{}}
	a := sequence{version: &modelconfig.ModelConfig{}, name: "a"}
	first, second := make(chan struct{}), make(chan struct{})
	if before := s.join(a, first); before != nil {
		t.Error("the first request waits")
	}
	if before := s.join(a, second); before != (<-chan struct{})(first) {
		t.Error("the second request does not wait for the first one")
	}
	s.leave(a, first)
	if before := s.join(a, make(chan struct{})); before != (<-chan struct{})(second) {
		t.Error("the third request does not wait for the second one")
	}
	other := sequence{version: &modelconfig.ModelConfig{}, name: "a"}
	if s.join(other, first) != nil {
		t.Error("a request waits for the sequence of another model with the same id")
	}
	s.leave(other, first)
	for i := range 1000 {
		done, of := make(chan struct{}), sequence{name: fmt.Sprint("b", i)}
		s.join(of, done)
		s.leave(of, done)
	}
	if len(s.last) != 1 {
		t.Errorf("%d sequences, want 1", len(s.last))
	}
}
