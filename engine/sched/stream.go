package sched

import "conch/engine/infer"

// stream is where the answers of a request go that others follow. It belongs to one goroutine at a time.
type stream struct {
	sink   infer.Sink
	keeper keeper // takes a sequence's state out of what goes by; nil for none
	// before is closed when answers may begin to leave, and kept what came earlier; nil where they need not be in order.
	before <-chan struct{}
	kept   []infer.Response
	err    error // of the client, or of the backend; the client gets nothing after it
}

// keeper takes the state of a sequence out of a response that the scheduler does not see otherwise.
type keeper interface {
	keep(resp *infer.Response)
}

// send hands on a response, when its time has come.
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

// flush hands on what had to wait.
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

// discard forgets what has not left.
func (s *stream) discard() {
	for i := range s.kept {
		free(&s.kept[i])
	}
	s.kept = nil
}
