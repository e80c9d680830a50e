package cuda

import (
	"sync"
	"time"
)

// gate lets many use CUDA side by side, or one alone.
type gate struct {
	mu    sync.Mutex
	users int
	long  int // of the users, those who may stay for minutes
	// next is when somebody may try again to be alone, after pause, which grows with each vain try.
	next  time.Time
	pause time.Duration
	// idle is closed by the last user, for the one who waits to be alone; open is closed when others may use CUDA again.
	idle, open chan struct{}
}

// Pauses between tries to be alone: each keeps others waiting for nothing.
const (
	leastPause = time.Second
	mostPause  = time.Minute
)

// calls is the process's: CUDA itself holds all threads of a process for one.
var calls gate

// Enter begins a use of CUDA. It waits while a graph is recorded. Between Enter and Leave nobody may call it again.
func Enter() { calls.enter() }

// Leave ends what Enter began.
func Leave() { calls.leave() }

// EnterLong is Enter for what may take minutes, such as the load of a model. Meanwhile nobody tries to be alone.
func EnterLong() { calls.enterLong() }

// LeaveLong ends what EnterLong began.
func LeaveLong() { calls.leaveLong() }

// Alone waits until nothing uses CUDA, and keeps others from it until Together. It returns false when that takes longer than patience:
// then a graph is recorded another time. After that, and beside EnterLong, it returns false at once for a while.
func Alone(patience time.Duration) bool { return calls.alone(patience) }

// Together ends what Alone began.
func Together() { calls.together() }

// Crowded reports that Alone would return false at once.
func Crowded() bool { return calls.crowded() }

func (g *gate) crowded() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut()
}

// shut is for those who hold mu. Another records, or it is no time to try.
func (g *gate) shut() bool { return g.open != nil || g.long > 0 || time.Now().Before(g.next) }

func (g *gate) enter() { g.enters(0) }

func (g *gate) enterLong() { g.enters(1) }

func (g *gate) enters(long int) {
	for {
		g.mu.Lock()
		open := g.open
		if open == nil {
			g.users++
			g.long += long
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		<-open
	}
}

func (g *gate) leave() { g.leaves(0) }

func (g *gate) leaveLong() { g.leaves(1) }

func (g *gate) leaves(long int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.users--
	g.long -= long
	if g.users == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

func (g *gate) alone(patience time.Duration) bool {
	g.mu.Lock()
	if g.shut() {
		g.mu.Unlock()
		return false
	}
	g.open = make(chan struct{})
	if g.users == 0 {
		g.pause = 0
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
	case <-timer.C:
	}
	g.mu.Lock()
	alone := g.idle == nil // it became idle, or did just now
	g.idle = nil
	if alone {
		g.pause = 0
	} else {
		g.pause = min(max(2*g.pause, leastPause), mostPause)
		g.next = time.Now().Add(g.pause)
	}
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
