package app

import (
	"sync"
	"time"
)

// viewAtMost is how long an engine waits for the first view of a page, which may never come. It is a variable for tests.
var viewAtMost = 5 * time.Second

// firstView is the first view of a page. The first engine waits for it: its start and its loads would take the
// processors from the page, which people wait for. A nil one is not waited for.
type firstView struct {
	once sync.Once
	seen chan struct{}
	late *time.Timer
}

// awaitView waits for a first view from now on.
func awaitView() *firstView {
	v := &firstView{seen: make(chan struct{})}
	v.late = time.AfterFunc(viewAtMost, v.note)
	return v
}

// drawn is closed once the view is drawn, or waited for no longer.
func (v *firstView) drawn() <-chan struct{} {
	if v == nil {
		return nil
	}
	return v.seen
}

// note says that the view is drawn.
func (v *firstView) note() {
	if v == nil {
		return
	}
	v.once.Do(func() { close(v.seen) })
}

// forget ends the wait without an engine.
func (v *firstView) forget() {
	if v != nil {
		v.late.Stop()
	}
}
