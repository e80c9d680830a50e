package shortcut

import (
	"slices"
	"sync"
	"time"
)

// batch is calls of a connection that a goroutine other than its reader serves, one after the other.
type batch struct {
	conn *Conn

	mu    sync.Mutex // guards what follows
	calls []*call    // that nobody serves yet
	timer *time.Timer
}

func batchOf(calls ...*call) *batch {
	for _, k := range calls {
		k.own()
	}
	return &batch{conn: calls[0].conn, calls: slices.Clone(calls)}
}

func (b *batch) serve() {
	for k := b.next(); k != nil; k = b.next() {
		k.serve()
	}
	b.conn.flush()
}

// next returns the next call, nil at the end.
func (b *batch) next() *call {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.calls) == 0 {
		if b.timer != nil {
			b.timer.Stop()
		}
		return nil
	}
	k := b.calls[0]
	b.calls = b.calls[1:]
	return k
}

// watch lets further goroutines serve the calls when the first ones take long, and sends the answers that are there.
func (b *batch) watch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.calls) > 0 {
		b.timer = time.AfterFunc(tooLong, b.hasten)
	}
}

func (b *batch) hasten() {
	b.mu.Lock()
	if left := len(b.calls) > 0; left {
		b.conn.road.start(b)
		b.timer.Reset(tooLong)
	}
	b.mu.Unlock()
	b.conn.flush()
}
