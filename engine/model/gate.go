package model

import (
	"sync"
	"sync/atomic"
)

// gate counts the requests inside a version and can be shut. Then no request enters any more, and empty is closed when the
// last one has left.
type gate struct {
	inside atomic.Int64 // plus shutBit when it is shut
	once   sync.Once
	empty  chan struct{}
}

const shutBit = int64(1) << 62

func (g *gate) enter() bool {
	if g.inside.Add(1)&shutBit == 0 {
		return true
	}
	g.leave()
	return false
}

func (g *gate) leave() {
	if g.inside.Add(-1) == shutBit {
		g.once.Do(func() { close(g.empty) })
	}
}

func (g *gate) shut() {
	if g.inside.Or(shutBit)&^shutBit == 0 {
		g.once.Do(func() { close(g.empty) })
	}
}

// drain shuts the gate and waits until nobody is inside.
func (g *gate) drain() {
	g.shut()
	<-g.empty
}

func (g *gate) count() int64 { return g.inside.Load() &^ shutBit }
