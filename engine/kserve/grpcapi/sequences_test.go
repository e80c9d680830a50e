package grpcapi

import (
	"fmt"
	"testing"

	"conch/engine/infer"
)

// A request waits for the one before it in its sequence. A sequence without a request under way takes no memory, even
// if no request has ended it.
func TestSequencesAreForgotten(t *testing.T) {
	s := sequences{last: map[infer.Sequence]chan struct{}{}}
	a := infer.Sequence{Name: "a", Start: true}
	first, second := make(chan struct{}), make(chan struct{})
	if before := s.join(a, first); before != nil {
		t.Error("the first request waits")
	}
	a.Start = false
	if before := s.join(a, second); before != (<-chan struct{})(first) {
		t.Error("the second request does not wait for the first one")
	}
	s.leave(a, first)
	if before := s.join(a, make(chan struct{})); before != (<-chan struct{})(second) {
		t.Error("the third request does not wait for the second one")
	}
	if s.join(infer.Sequence{}, first) != nil || len(s.last) != 1 {
		t.Errorf("%d sequences, want 1", len(s.last))
	}
	for i := range 1000 {
		done, of := make(chan struct{}), infer.Sequence{Name: fmt.Sprint("b", i)}
		s.join(of, done)
		s.leave(of, done)
	}
	if len(s.last) != 1 {
		t.Errorf("%d sequences, want 1", len(s.last))
	}
}
