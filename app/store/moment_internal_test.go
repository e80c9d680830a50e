package store

import "testing"

// A request that begins while others are listed runs, and is not listed as one whose answer is lost. One of another process may have ended.
func TestRequestsOfAMoment(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	before, runs := s.AddRequest(Request{}), s.BeginRequest(Request{})
	now := s.moment()
	after := s.BeginRequest(Request{})
	for id, want := range map[int64]bool{before: true, runs: false, after: false, after ^ 1: true} {
		if got := now.ended(id); got != want {
			t.Errorf("request %d has ended: %v, want %v", id-before, got, want)
		}
	}
}
