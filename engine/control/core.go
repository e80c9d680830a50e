package control

import (
	"context"
	"log/slog"
	"sync"

	"conch/engine/infer"
)

// core is what the parts of a Manager share. Its fields do not change after New; what changes is in state.
type core struct {
	o      Options
	log    *slog.Logger
	names  *names
	hub    *hub
	routes *routes
	work   sync.WaitGroup // operations and drains
	life   context.Context
	end    context.CancelFunc
	state  guarded[state]
}

func newCore(o Options) *core {
	c := &core{o: o, log: o.Log, names: newNames(o.Namespacing), hub: newHub(), routes: &routes{}}
	c.life, c.end = context.WithCancel(context.Background())
	s := c.state.lock()
	defer c.state.unlock()
	*s = state{
		names: c.names, mode: o.Mode, reload: o.Reload, roots: roots{}, models: newModels(), orders: newOrders(),
		access: o.Ways.atFirst(), restoring: o.RestorePending,
		listing: o.Library.Current(), // whoever asks before Run begins sees the repository, not nothing
	}
	return c
}

// begin counts an operation in, unless the Manager closes.
func (c *core) begin() bool {
	s := c.state.lock()
	defer c.state.unlock()
	if s.closing {
		return false
	}
	c.work.Add(1)
	return true
}

// background runs a function that Close waits for, unless the Manager closes.
func (c *core) background(do func()) {
	if !c.begin() {
		return
	}
	go func() {
		defer c.work.Done()
		do()
	}()
}

// cancelled is how a load ends whose context has.
func (c *core) cancelled(ctx context.Context, key string) error {
	if c.life.Err() != nil {
		return infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled: %v", key, context.Cause(ctx))
}
