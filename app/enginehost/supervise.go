package enginehost

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"conch/app/pulse"
)

const (
	// settled is how long an engine must serve all wanted models before its end counts as new: then it
	// restarts at once. A model that ends the engine during its load, or soon after, does so earlier.
	settled = 3 * time.Second
	// endless is how long a load may run until it counts as endless: an engine that served the other
	// models for this time has served well.
	endless = 10 * time.Minute
	// giveUpAfter is the number of failures in a row after which the engine is not started any more.
	// The waits before are 0, 1, 2, 4 and 8 s.
	giveUpAfter = 6
	// giveUpUnready is the same for an engine that never answered: a wrong flag or a taken port does
	// not change.
	giveUpUnready = 2
	maxWait       = 30 * time.Second
	// startTimeout is how long an engine may take until it answers. It answers before it loads
	// anything.
	startTimeout = time.Minute
)

// end is how one run of the engine ended.
type end struct {
	wasReady bool
	lived    time.Duration // since it was ready
	served   time.Duration // since all wanted models were loaded; 0 where they never were
	reason   string
	refused  bool // it was never ready, and said why
	asked    bool // a restart was asked for
}

// supervise runs one engine after the other until ctx ends or it gives up.
func (h *Host) supervise(ctx context.Context) {
	defer close(h.done)
	if !h.awaitTurn(ctx) {
		h.setStatus(Status{State: Stopped}, nil)
		return
	}
	failures, unready := 0, 0
	for life := 0; ; life++ {
		e := h.runOnce(ctx, life, failures)
		if ctx.Err() != nil {
			h.setStatus(Status{State: Stopped, Restarts: uint32(life)}, nil)
			return
		}
		if e.asked {
			failures, unready = 0, 0
			h.setStatus(Status{State: Restarting, Reason: e.reason, Restarts: uint32(life + 1), Asked: true}, nil)
			continue
		}
		failures, unready = countFailures(e, failures, unready)
		if e.refused && life == 0 {
			unready = giveUpUnready // a second try at once would end in the same way
		}
		h.opts.Log.Warn("the engine ended", "reason", e.reason, "failures", failures)
		if failures >= giveUpAfter || unready >= giveUpUnready {
			h.setStatus(Status{State: Stopped, Reason: e.reason, Restarts: uint32(life)}, nil)
			select {
			case <-ctx.Done():
				return
			case <-h.again:
				failures, unready = 0, 0
				h.setStatus(Status{State: Restarting, Reason: restarted, Restarts: uint32(life + 1), Asked: true}, nil)
				continue
			}
		}
		h.setStatus(Status{State: Restarting, Reason: e.reason, Restarts: uint32(life + 1)}, nil)
		if h.opts.Wait(ctx, pause(failures)) != nil {
			return
		}
	}
}

// awaitTurn waits until the first engine may start, or a person asks for it. It reports false when the host is closed
// before.
func (h *Host) awaitTurn(ctx context.Context) bool {
	if h.opts.After == nil {
		return true
	}
	h.setStatus(Status{State: Starting}, nil)
	select {
	case <-h.opts.After:
		return true
	case <-h.again:
		return true
	case <-ctx.Done():
		return false
	}
}

func countFailures(e end, failures, unready int) (int, int) {
	if !e.wasReady {
		return failures + 1, unready + 1
	}
	if e.served >= settled || e.lived >= endless {
		return 1, 0
	}
	return failures + 1, 0
}

// pause starts the first restart at once, then waits 1 s, 2 s, 4 s, …
func pause(failures int) time.Duration {
	if failures <= 1 {
		return 0
	}
	return min(time.Second<<min(failures-2, 10), maxWait)
}

// restarted is the reason of a restart that a person asked for.
const restarted = "The engine is being restarted, as requested."

// runOnce starts an engine, follows it, and returns when it has ended.
func (h *Host) runOnce(ctx context.Context, life, failures int) end {
	restarts := uint32(life)
	if life == 0 {
		h.setStatus(Status{State: Starting}, nil)
	}
	select {
	case <-h.again: // this is the requested run
	default:
	}
	socket := filepath.Join(h.dir.Path(), fmt.Sprintf("engine-%d.sock", life))
	c, err := startChild(h.opts, h.lastPorts(), socket, h.logs)
	if err != nil {
		return end{reason: err.Error()}
	}
	defer h.end(c)
	beat := new(pulse.Pulse)
	conn, err := dial(socket, beat)
	if err != nil {
		return end{reason: err.Error()}
	}
	defer func() { _ = conn.Close() }()
	alive, cancel := context.WithCancel(ctx)
	defer cancel()
	asked := make(chan bool, 1)
	go func() { // ends with the child, which c.stop ends
		asked <- h.awaitEnd(c)
		cancel()
	}()
	f := follower{host: h, pulse: beat, starting: time.AfterFunc(startTimeout, c.stop), client: newClient(conn), status: Status{State: Ready, PID: c.pid, Restarts: restarts}, careful: failures > 1}
	defer f.starting.Stop()
	f.follow(alive)
	if ctx.Err() != nil {
		return end{}
	}
	e := f.end(c)
	if e.asked = <-asked; e.asked {
		e.reason = restarted
	}
	return e
}

// awaitEnd waits until a child has ended, or ends it for a restart. It reports whether a restart was
// asked for.
func (h *Host) awaitEnd(c *child) (asked bool) {
	select {
	case <-c.ended:
		return false
	case <-h.again:
	}
	h.end(c)
	return true
}

// end ends a child. A child that does not answer is killed.
func (h *Host) end(c *child) {
	if stopped, _ := processStopped(c.pid); stopped || h.Status().State == Silent {
		c.kill()
		return
	}
	c.stop()
}

// end describes the end of a child that was not asked to end.
func (f *follower) end(c *child) end {
	<-c.ended
	e := end{wasReady: !f.readySince.IsZero()}
	e.reason, e.refused = c.reason(e.wasReady)
	if dropped := f.host.wanted.noteDeath(f.careful); len(dropped) > 0 {
		e.reason += fmt.Sprintf(" It was loading %s, which is not loaded again automatically.", strings.Join(dropped, ", "))
	}
	if e.wasReady {
		e.lived = f.host.opts.Now().Sub(f.readySince)
	}
	if !f.restoredAt.IsZero() {
		e.served = f.host.opts.Now().Sub(f.restoredAt)
	}
	return e
}
