package control

import (
	"context"
	"log/slog"
	"sync"

	"conch/engine/guarded"
	"conch/engine/infer"
	"conch/engine/model"
)

// core is shared by the parts of a Manager. Its fields do not change after New; everything that changes is
// in state.
type core struct {
	o      Options
	log    *slog.Logger
	names  *names
	hub    *hub
	routes *routes
	work   sync.WaitGroup // operations and drains
	life   context.Context
	end    context.CancelFunc
	state  guarded.Value[state]
	// watching is held while the source gets the imports of all models, so that it gets the newest last.
	watching guarded.Value[[]string]
}

func newCore(o Options) *core {
	c := &core{o: o, log: o.Log, names: newNames(o.Namespacing), hub: newHub(), routes: &routes{}}
	c.life, c.end = context.WithCancel(context.Background())
	s := c.state.Lock()
	defer c.state.Unlock()
	*s = state{
		names: c.names, mode: o.Mode, reload: o.Reload, roots: roots{}, models: newModels(), orders: newOrders(),
		access: o.Ways.atFirst(), leaving: map[string][]*model.Version{}, restoring: o.RestorePending,
		listing: o.Models.Current(), // a caller before Run sees the repository, not an empty one
	}
	return c
}

// begin counts a new operation, unless the Manager closes.
func (c *core) begin() bool {
	s := c.state.Lock()
	defer c.state.Unlock()
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

// cancelled returns the error of a load whose context has ended.
func (c *core) cancelled(ctx context.Context, key string) error {
	if c.life.Err() != nil {
		return infer.Errorf(infer.Unavailable, "server is exiting")
	}
	return infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled: %v", key, context.Cause(ctx))
}
