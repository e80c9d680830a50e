package python

import (
	"context"
	"slices"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
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
	written bool     // the process has all of it
	told    bool     // that its inputs are taken
	results []result // of Executed; fewer than there are requests when that is damaged
	left    bool     // nobody waits for it any more, and it had not begun when its goroutine left
}

// result is what became of a request.
type result struct {
	what  uint32
	reply wire.Reply // where it was answered
}

// read takes the results out of Executed. The engine holds their segments from then on, also when the process dies.
func (run *running) read(p *process, payload []byte) {
	r := wire.NewReader(payload, p.shared)
	count := r.Uint32()
	r.Uint32()
	if int(count) != len(run.later) {
		return
	}
	for range run.later {
		got := result{what: r.Uint32()}
		r.Uint32()
		if got.what == wire.Answered {
			got.reply = r.Reply()
		}
		if r.Err() != nil || got.what > wire.Again {
			return
		}
		run.results = append(run.results, got)
	}
}

// event is what the goroutine of a batch waits for.
type event struct {
	what what
	text []byte // of Failed
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

// takesMore reports whether one more batch may be sent: all in the line were, and few of them wait in the process for the first one.
func (l *line) takesMore() bool {
	unsent := func(run *running) bool { return !run.sent }
	return len(l.open) <= mostAhead && !slices.ContainsFunc(l.open, unsent)
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
