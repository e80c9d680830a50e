package onnx

import (
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"

	"conch/engine/hostpolicy"
)

// lane is a thread of the system on which one goroutine at a time has something done.
type lane struct {
	work chan func()
	done chan *laneFault // nil when all went well
}

// laneFault is a panic of what was done on a lane.
type laneFault struct {
	value any
	stack string
}

func (f *laneFault) String() string { return fmt.Sprint(f.value) }

// LogValue adds where it was: the stack of the one who asked for it does not tell.
func (f *laneFault) LogValue() slog.Value { return slog.StringValue(f.String() + "\n" + f.stack) }

// newLane starts a thread that is bound by a policy.
func newLane(policy hostpolicy.Policy) (*lane, error) {
	l := &lane{work: make(chan func()), done: make(chan *laneFault)}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // it ends with the goroutine
		err := policy.Do(func() {
			started <- nil
			for f := range l.work {
				l.done <- try(f)
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

// try returns the panic of f.
func try(f func()) (fault *laneFault) {
	defer func() {
		if value := recover(); value != nil {
			fault = &laneFault{value, string(debug.Stack())}
		}
	}()
	f()
	return nil
}

// do runs f on the thread. A panic of f is one of do.
func (l *lane) do(f func()) {
	l.work <- f
	if fault := <-l.done; fault != nil {
		panic(fault)
	}
}

// end ends the thread.
func (l *lane) end() { close(l.work) }
