package sched

import "conch/engine/infer"

// stream sends the answers of a request that are not the last. One goroutine at a time uses it.
type stream struct {
	sink   infer.Sink
	keeper keeper // stores a sequence's state from the responses; nil for none
	// before is closed when answers may begin to leave; kept holds the earlier ones. nil where answers are not
	// ordered.
	before <-chan struct{}
	kept   []infer.Response
	err    error // the client's or the backend's error; the client gets nothing after it
}

// keeper stores the state of a sequence from a response that only the stream sees.
type keeper interface {
	keep(resp *infer.Response)
}

// send passes a response on, or keeps it until it may leave.
func (s *stream) send(r *infer.Response) {
	if s.keeper != nil {
		s.keeper.keep(r)
	}
	if s.before != nil {
		select {
		case <-s.before:
			s.flush()
			s.before = nil
		default:
			s.kept = append(s.kept, *r)
			r.Release = nil
			return
		}
	}
	s.hand(r)
}

func (s *stream) hand(r *infer.Response) {
	if s.err == nil {
		s.err = s.sink(r)
	}
	free(r)
}

// flush passes the kept responses on.
func (s *stream) flush() {
	if len(s.kept) == 0 {
		return
	}
	failed := s.err
	s.err = nil
	for i := range s.kept {
		s.hand(&s.kept[i])
	}
	s.kept = nil
	if failed != nil {
		s.err = failed
	}
}

// discard drops the kept responses.
func (s *stream) discard() {
	for i := range s.kept {
		free(&s.kept[i])
	}
	s.kept = nil
}
