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
	// open opens the account that counts what is kept; nil for no bound.
	open    func() Account
	account Account
	last    int64             // bytes of it for the last response, which the outcome holds
	rooms   map[string][]byte // of the request: what is made there is not the server's memory
	err     error             // the client's or the backend's error; the client gets nothing after it
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
	if s.waits() {
		s.keep(r)
		return
	}
	if s.before != nil {
		s.flush()
		s.before = nil
	}
	s.hand(r)
}

// waits reports whether answers may not leave yet.
func (s *stream) waits() bool {
	if s.before == nil {
		return false
	}
	select {
	case <-s.before:
		return false
	default:
		return true
	}
}

// keep keeps a response until it may leave. Where there is no memory for it, nothing more of the request leaves.
func (s *stream) keep(r *infer.Response) {
	if s.count(r.Size(s.rooms)) != nil {
		free(r)
		return
	}
	s.kept = append(s.kept, *r)
	r.Release = nil
}

// keepLast counts the last response while the outcome holds it. After an error it may not be kept.
func (s *stream) keepLast(r *infer.Response) error {
	if !s.waits() {
		return nil
	}
	size := r.Size(s.rooms)
	if err := s.count(size); err != nil {
		return err
	}
	if s.account != nil {
		s.last = size
	}
	return nil
}

// count counts bytes that wait. When there is no memory for them, it drops what waits already.
func (s *stream) count(bytes int64) error {
	switch {
	case s.err != nil || s.open == nil:
		return s.err
	case s.account == nil:
		s.account = s.open()
	}
	if err := s.account.Grow(bytes); err != nil {
		s.discard()
		s.err = infer.TooLarge(infer.Errorf(infer.CodeOf(err), "the answers wait for those of earlier requests (preserve_ordering) and take too much memory: %v", err))
	}
	return s.err
}

// take takes the kept responses out, one after the other. They are counted no more, and neither is the last one.
func (s *stream) take(each func(*infer.Response)) {
	for i := range s.kept {
		if s.account != nil {
			s.account.Give(s.kept[i].Size(s.rooms))
		}
		each(&s.kept[i])
	}
	s.kept = nil
	if s.last > 0 {
		s.account.Give(s.last)
		s.last = 0
	}
}

func (s *stream) hand(r *infer.Response) {
	if s.err == nil {
		s.err = s.sink(r)
	}
	free(r)
}

// flush passes the kept responses on.
func (s *stream) flush() {
	if len(s.kept) == 0 && s.last == 0 {
		return
	}
	failed := s.err
	s.err = nil
	s.take(s.hand)
	if failed != nil {
		s.err = failed
	}
}

// discard drops the kept responses.
func (s *stream) discard() { s.take(free) }
