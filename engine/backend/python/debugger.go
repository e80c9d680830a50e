package python

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/python/wire"
	"conch/engine/infer"
)

var _ backend.Debuggable = (*instance)(nil)

// debugger is where an instance listens for a debugger.
type debugger struct {
	mu      sync.Mutex // guards address
	address string     // "" when it does not listen

	asking sync.Mutex // lets one caller at a time ask for it
}

func (d *debugger) at() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.address
}

// listenPatience is how long a process may take to listen. It waits for the end of what it executes.
const listenPatience = 20 * time.Second

// Debug has the process listen for a debugger, on this machine only, and returns where. It listens until it ends.
func (in *instance) Debug(ctx context.Context) (string, error) {
	d := &in.debugger
	d.asking.Lock()
	defer d.asking.Unlock()
	if at := d.at(); at != "" {
		return at, nil
	}
	select {
	case <-in.done: // of a caller that has not waited for it
	default:
	}
	if err := in.process.send(wire.Finish(wire.Begin(nil, wire.Debug, 0))); err != nil {
		return "", in.unhealthy()
	}
	timer := time.NewTimer(listenPatience)
	defer timer.Stop()
	select {
	case got := <-in.done:
		return d.listens(got)
	case <-in.process.dead:
		return "", in.unhealthy()
	case <-ctx.Done():
		return "", ctx.Err()
	case <-timer.C:
		return "", infer.Errorf(infer.Unavailable, "instance %s does not begin to listen for a debugger: it executes a request. Try again when it has ended, or interrupt it", in.name)
	}
}

func (d *debugger) listens(got done) (string, error) {
	var address string
	err := errors.New(got.Error)
	if got.Error == "" {
		err = json.Unmarshal(got.Value, &address)
	}
	if err != nil {
		return "", infer.Errorf(infer.Unavailable, "%v", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.address = address
	return address, nil
}
