package python

import (
	"context"
	"encoding/json"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/guarded"
	"conch/engine/infer"
)

var _ backend.Debuggable = (*instance)(nil)

// debugger is where an instance listens for a debugger.
type debugger struct {
	mu      sync.Mutex // guards what follows
	address string     // "" when it does not listen
	asked   *question  // that the process has not answered; nil for none
}

// question asks a process to listen. It is answered at the end of what the process executes, maybe when nobody waits any more.
type question struct {
	answered chan struct{}
	err      error // why it does not listen; set before answered is closed
}

// ports are those at which instances have listened for a debugger, by where they run. One that is made again listens there once
// more where nobody else does, so that what an editor was told still fits.
type ports = guarded.Value[map[place]int]

// place tells an instance from all others, also of a model that is loaded again.
type place struct{ dir, instance string }

func (in *instance) place() place { return place{in.model.spec.VersionDir, in.name} }

// port is where the instance listened before; 0 if it never did.
func (in *instance) port() int {
	known := in.model.ports.Lock()
	defer in.model.ports.Unlock()
	return (*known)[in.place()]
}

// keepPort notes where the instance listens.
func (in *instance) keepPort(address string) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return
	}
	known := in.model.ports.Lock()
	defer in.model.ports.Unlock()
	if *known == nil {
		*known = map[place]int{}
	}
	(*known)[in.place()] = int(at.Port())
}

// debugID is the id of the frames about the debugger.
const debugID = 1

func (d *debugger) at() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.address
}

// ask returns the question that is open, or a new one, which the caller sends.
func (d *debugger) ask() (q *question, isNew bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked != nil {
		return d.asked, false
	}
	d.asked = &question{answered: make(chan struct{})}
	return d.asked, true
}

// answer takes what the process says.
func (d *debugger) answer(payload []byte) error {
	var got done
	if err := json.Unmarshal(payload, &got); err != nil {
		return wire.ErrBroken
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.asked
	switch {
	case q == nil:
		return wire.ErrBroken // nobody asked
	case got.Error != "":
		q.err = infer.Errorf(infer.Unavailable, "%s", got.Error)
	case json.Unmarshal(got.Value, &d.address) != nil:
		return wire.ErrBroken
	}
	d.asked = nil
	close(q.answered)
	return nil
}

// listenPatience is how long a process may take to listen. It waits for the end of what it executes.
const listenPatience = 20 * time.Second

// Debug has the process listen for a debugger, on this machine only, and returns where. It listens until it ends.
func (in *instance) Debug(ctx context.Context) (string, error) {
	d := &in.debugger
	if at := d.at(); at != "" {
		return at, nil
	}
	q, isNew := d.ask()
	if isNew && in.process.send(wire.Finish(strconv.AppendInt(wire.Begin(nil, wire.Debug, debugID), int64(in.port()), 10))) != nil {
		in.process.kill(nil)
	}
	timer := time.NewTimer(listenPatience)
	defer timer.Stop()
	select {
	case <-q.answered:
		at := d.at()
		in.keepPort(at)
		return at, q.err
	case <-in.process.dead:
		return "", in.unhealthy()
	case <-ctx.Done():
		return "", ctx.Err()
	case <-timer.C:
		return "", infer.Errorf(infer.Unavailable, "instance %s does not listen for a debugger yet: it executes a request. It listens when that has ended, or when you interrupt it", in.name)
	}
}
