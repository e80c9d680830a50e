package python

import (
	"slices"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
)

// PutInPlace is putInPlace.
var PutInPlace = putInPlace

// Kill kills the process of an instance as the system would.
func Kill(in backend.Instance) { killGroup(in.(*instance).process.cmd.Process.Pid) }

// Pid returns the process of an instance.
func Pid(in backend.Instance) int { return in.(*instance).process.cmd.Process.Pid }

// Fill sends frames until the process's connection takes no more.
func Fill(in backend.Instance) {
	p := in.(*instance).process
	go func() {
		for p.send(wire.Finish(append(wire.Begin(nil, wire.Cancel, 0), make([]byte, 1<<16)...))) == nil {
			continue
		}
	}()
}

// StopSoon stops the process with little patience.
func StopSoon(in backend.Instance) { in.(*instance).process.stop(10 * time.Millisecond) }

// KeeperPid returns the process that outlives the engine.
func KeeperPid(in backend.Instance) int {
	k := in.(*instance).process.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.cmd.Process.Pid
}

// BreakOff sends the signal that ends an execution, by its number.
func BreakOff(in backend.Instance, number uint64) { in.(*instance).process.breakOff(number) }

// HoldSending keeps an instance from sending batches until the function is called.
func HoldSending(in backend.Instance) (release func()) {
	i := in.(*instance)
	i.sending.Lock()
	return i.sending.Unlock
}

// Entered is how many requests have come to an instance. What it may send of them is sent.
func Entered(in backend.Instance) uint64 {
	i := in.(*instance)
	i.sending.Lock()
	defer i.sending.Unlock()
	return i.next - 1
}

// Left reports whether the client of a batch has left that had not begun, and that the process has.
func Left(in backend.Instance) bool {
	i := in.(*instance)
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(i.line.open, func(run *running) bool { return run.left })
}

// CancelNext tells the process that nobody waits for the first request of the next batch, before that is sent.
func CancelNext(in backend.Instance) {
	i := in.(*instance)
	i.sending.Lock()
	defer i.sending.Unlock()
	_ = i.process.send(wire.Finish(wire.Begin(nil, wire.Cancel, i.next)))
}

// HoldMessages keeps every message from an instance's process until the function is called.
func HoldMessages(in backend.Instance) (release func()) {
	p := in.(*instance).process
	p.writing.Lock()
	return p.writing.Unlock
}

// Lull is when the reader of a process reads again.
const Lull = lull
