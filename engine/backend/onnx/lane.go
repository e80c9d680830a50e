package onnx

import (
	"runtime"

	"conch/engine/hostpolicy"
)

// lane is a thread of the system on which one goroutine at a time has something done.
type lane struct {
	work chan func()
	done chan struct{}
}

// newLane starts a thread that is bound by a policy.
func newLane(policy hostpolicy.Policy) (*lane, error) {
	l := &lane{work: make(chan func()), done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine
		err := policy.Do(func() {
			started <- nil
			for f := range l.work {
				f()
				l.done <- struct{}{}
			}
		})
		if err != nil {
			started <- err
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return l, nil
}

// do runs f on the thread.
func (l *lane) do(f func()) {
	l.work <- f
	<-l.done
}

// end ends the thread.
func (l *lane) end() { close(l.work) }
