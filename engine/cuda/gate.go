package cuda

import (
	"sync"
	"time"
)

// gate lets many use CUDA side by side, or one alone.
type gate struct {
	mu    sync.Mutex
	users int
	// idle is closed by the last user, for the one who waits to be alone; open is closed when others may use CUDA again.
	idle, open chan struct{}
}

// calls is the process's: CUDA itself holds all threads of a process for one.
var calls gate

// Enter begins a use of CUDA. It waits while a graph is recorded. Between Enter and Leave nobody may call it again.
func Enter() { calls.enter() }

// Leave ends what Enter began.
func Leave() { calls.leave() }

// Alone waits until nothing uses CUDA, and keeps others from it until Together. It returns false when that takes longer than patience:
// then a graph is recorded another time.
func Alone(patience time.Duration) bool { return calls.alone(patience) }

// Together ends what Alone began.
func Together() { calls.together() }

func (g *gate) enter() {
	for {
		g.mu.Lock()
		open := g.open
		if open == nil {
			g.users++
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		<-open
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users--
	if g.users == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

func (g *gate) alone(patience time.Duration) bool {
	g.mu.Lock()
	if g.open != nil { // another records
		g.mu.Unlock()
		return false
	}
	g.open = make(chan struct{})
	if g.users == 0 {
		g.mu.Unlock()
		return true
	}
	idle := make(chan struct{})
	g.idle = idle
	g.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-idle:
		return true
	case <-timer.C:
	}
	g.mu.Lock()
	alone := g.idle == nil // it became idle just now
	g.idle = nil
	g.mu.Unlock()
	if !alone {
		g.together()
	}
	return alone
}

func (g *gate) together() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.open)
	g.open = nil
}
