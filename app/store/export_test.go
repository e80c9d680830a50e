package store

import "context"

// TidyMore tidies a part, and reports whether more is due.
func (s *Store) TidyMore(ctx context.Context) (more bool) {
	_, more = s.tidyMore(ctx)
	return more
}

// AddRequest queues a request that has ended.
func (s *Store) AddRequest(r Request) int64 {
	r.ID = s.BeginRequest(r)
	s.EndRequest(r)
	return r.ID
}

// AddTrouble reports a sentence as trouble.
func (s *Store) AddTrouble(text string) { s.addTrouble(text) }

// SetCrowded sets the size of the history above which rows of one second are deleted earlier, until the
// returned function is called.
func SetCrowded(bytes int64) (back func()) {
	old := crowdedBytes
	crowdedBytes = bytes
	return func() { crowdedBytes = old }
}

// SetMostModels sets how many models a repository may have in the history, until the returned function is called.
func SetMostModels(n int) (back func()) {
	old := mostModels
	mostModels = n
	return func() { mostModels = old }
}

// SetKeepEventsEach sets how many events of a repository are kept, until the returned function is called.
func SetKeepEventsEach(n int) (back func()) {
	old := keepEventsEach
	keepEventsEach = n
	return func() { keepEventsEach = old }
}

// SetKeepPictureBytes sets how many bytes of pictures the history keeps, until the returned function is called.
func SetKeepPictureBytes(n int) (back func()) {
	old := keepPictureBytes
	keepPictureBytes = n
	return func() { keepPictureBytes = old }
}
