package sched

import (
	"sync"
	"sync/atomic"
)

// early lets a request of an ensemble end with the first failure, while steps run that have taken their inputs: they do not use the memory
// of the request any more. The request is in no sequence, leaves the versions of its steps itself, and has one response.
type early struct {
	over    chan struct{} // closed when the request may end
	once    sync.Once
	failed  atomic.Bool
	reading atomic.Int64 // turns that may use the memory of the request
}

func newEarly() *early { return &early{over: make(chan struct{})} }

func (e *early) end() { e.once.Do(func() { close(e.over) }) }

// fail notes the first failure. No turn begins to read after it.
func (e *early) fail() {
	e.failed.Store(true)
	if e.reading.Load() == 0 {
		e.end()
	}
}

// read notes that a turn reads the request, until the function is called.
func (e *early) read() (taken func()) {
	e.reading.Add(1)
	var once sync.Once
	return func() {
		once.Do(func() {
			if e.reading.Add(-1) == 0 && e.failed.Load() {
				e.end()
			}
		})
	}
}

// settle ends the request when no turn is ready or runs. f.mu is held.
func (f *flow) settle() {
	if f.early != nil && f.underway == 0 {
		f.early.end()
	}
}

// failure returns how the request failed.
func (f *flow) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// leave frees what the flow holds when the steps that run have ended.
func (f *flow) leave() {
	f.running.Wait()
	f.release()
}
