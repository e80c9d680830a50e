package python

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"conch/engine/backend/python/wire"
)

// lull is how long no execution has begun to read, or one has read, when the reader reads again.
const lull = 5 * time.Millisecond

// reading is who reads the messages of a process: its reader, or the goroutine of an execution, which then needs nobody to wake it when
// the answer comes. Where executions follow each other and are short, the reader does not read at all.
type reading struct {
	led  atomic.Uint64 // how many executions have begun to read
	back chan struct{} // has an element when the reader is to look whether it reads again
	over atomic.Bool   // the process has ended: only the reader reads what is left

	turn   sync.Mutex // is held by who reads, and guards what follows
	frames frames
	ended  error // why no more can be read
}

func newReading(conn *connection) *reading {
	return &reading{back: make(chan struct{}, 1), frames: newFrames(conn)}
}

// wake has the reader look whether something is expected of the process that nobody reads.
func (in *reading) wake() {
	select {
	case in.back <- struct{}{}:
	default:
	}
}

// end has the reader read to the end.
func (in *reading) end() {
	in.over.Store(true)
	in.wake()
}

// read receives frames until the connection ends. Behind the last answer that was expected it leaves the reading to executions.
func (p *process) read(r receiver) {
	defer close(p.heard)
	p.reading.turn.Lock()
	for {
		err := p.receive(r, func(kind wire.Kind) bool { return answers(kind) && r.idle() })
		p.reading.turn.Unlock()
		if err != nil {
			why := damaged(err)
			p.broken = why != nil
			p.kill(why)
			return
		}
		p.retake(r)
	}
}

// answers reports whether a frame of a kind may be the last that is expected.
func answers(kind wire.Kind) bool {
	return kind == wire.Executed || kind == wire.Failed || kind == wire.Send
}

// retake waits until the reader is to read again, and takes the turn. An execution that has it for long loses it: it can be cancelled
// then.
func (p *process) retake(r receiver) {
	timer := time.NewTimer(lull)
	defer timer.Stop()
	last := p.reading.led.Load()
	for {
		if (p.reading.over.Load() || !r.idle()) && p.reading.turn.TryLock() {
			return
		}
		select {
		case <-p.reading.back:
			continue
		case <-timer.C:
		}
		led := p.reading.led.Load()
		if led == last {
			_ = p.conn.SetReadDeadline(time.Unix(1, 0))
			p.reading.turn.Lock()
			_ = p.conn.SetReadDeadline(time.Time{})
			return
		}
		last = led
		timer.Reset(lull)
	}
}

// lead receives frames until done, in the place of the reader, unless somebody else reads. It returns before that when the reader
// wants to read, or can do nothing but end. An execution that is alone in the engine does not sleep at once.
func (p *process) lead(r receiver, alone bool, done func() bool) {
	in := p.reading
	if !in.turn.TryLock() {
		return
	}
	in.led.Add(1)
	failed := true
	defer func() {
		if failed && in.ended == nil { // a panic, which the caller may survive
			in.ended = wire.ErrBroken
		}
		in.turn.Unlock()
		if failed || !r.idle() {
			in.wake()
		}
	}()
	if done() { // somebody else has read the answer
		failed = false
		return
	}
	if alone {
		p.conn.spin()
	}
	failed = p.receive(r, func(wire.Kind) bool { return done() }) != nil
}

// receive passes frames on until done, which is asked with the kind of each, or until the reader wants to read. The caller has the turn.
func (p *process) receive(r receiver, done func(kind wire.Kind) bool) error {
	in := p.reading
	for in.ended == nil {
		h, payload, err := in.frames.next()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err == nil {
			err = p.received(h, payload, r)
		}
		in.ended = err
		if err == nil && done(h.Kind) {
			return nil
		}
	}
	return in.ended
}

// received takes what is about the process itself, and gives the rest to the receiver.
func (p *process) received(h wire.Header, payload []byte, r receiver) error {
	switch h.Kind {
	case wire.Free:
		p.shared.freed(wire.NewReader(payload, nil).Numbers()...)
	case wire.Dropped:
		p.shared.dropped(wire.NewReader(payload, nil).Numbers()...)
	case wire.Log:
		return p.logged(payload)
	default:
		return r.received(p, h, payload)
	}
	return nil
}
