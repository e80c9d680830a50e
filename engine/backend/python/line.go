package python

import (
	"context"
	"slices"

	"conch/engine/backend"
)

// running is a batch that the process runs, or is to run.
type running struct {
	ctx    context.Context
	batch  *backend.Batch
	first  uint64     // handle of the first request; the others follow
	later  []*reply   // of requests that are answered by a Responder
	events chan event // for the goroutine of Execute

	// The instance's lock guards what follows.
	profile []byte // that the process has sent
	sent    bool   // the process has it, or in.sending is held to write it
	begun   bool
	left    bool // nobody waits for it any more, and it had not begun when its goroutine left
}

// event is what the goroutine of a batch waits for.
type event struct {
	what    what
	payload []byte // of the process
}

// what is the kind of an event.
type what int

const (
	turn     what = iota // it is the first of the line, and was not sent
	executed             // it has ended, by Executed
	failed               // it has ended, by Failed
	died                 // the process has died
)

// line is the batches of an instance. The process runs them in their order.
type line struct {
	open  []*running // the first one runs
	ended []*running // the process has ended them, and they are not answered yet
}

// current returns the batch that runs; nil for none.
func (l *line) current() *running {
	if len(l.open) == 0 {
		return nil
	}
	return l.open[0]
}

// of returns the batch with a request, and the request's index; nil when there is none. A batch that has not begun has none that the
// process may speak of.
func (l *line) of(handle uint64) (*running, int) {
	for _, run := range l.ended {
		if i := handle - run.first; handle >= run.first && i < uint64(len(run.later)) {
			return run, int(i)
		}
	}
	if run := l.current(); run != nil && handle >= run.first && handle-run.first < uint64(len(run.later)) {
		return run, int(handle - run.first)
	}
	return nil, 0
}

// ahead returns how many batches wait in the process for those before them, and whether all in the line were sent.
func (l *line) ahead() (count int, all bool) {
	for _, run := range l.open {
		if !run.sent {
			return count, false
		}
		if !run.begun {
			count++
		}
	}
	return count, true
}

// pop takes the batch out that the process has ended.
func (l *line) pop() *running {
	run := l.open[0]
	l.open = slices.Delete(l.open, 0, 1)
	return run
}

// settled forgets a batch that is answered now.
func (l *line) settled(run *running) {
	is := func(other *running) bool { return other == run }
	l.ended = slices.DeleteFunc(l.ended, is)
}

// remove takes a batch out that was not sent.
func (l *line) remove(run *running) {
	is := func(other *running) bool { return other == run }
	l.open = slices.DeleteFunc(l.open, is)
}
