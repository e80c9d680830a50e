package model

import (
	"context"
	"sync/atomic"
	"time"

	"conch/engine/cache"
	"conch/engine/infer"
)

// cached answers a request from the response cache, or passes it to the scheduler behind it. A hit does not wait in a queue (docs/triton/cache.md, "Hits and misses").
type cached struct {
	behind infer.Handler
	store  *cache.Cache
	load   uint64 // the number of this load of the model
	// swaps is Loader.Swaps for an ensemble, because its answers change when its parts are swapped; nil for any other model.
	swaps *atomic.Uint64
}

var _ infer.Handler = (*cached)(nil)

// Infer looks the request up before it runs.
func (c *cached) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	if r.Trial { // it asks how long the model takes
		return c.behind.Infer(ctx, r, sink)
	}
	began := time.Now()
	load := [2]uint64{c.load}
	switch {
	case r.Held != nil:
		load[1] = r.Held.Swaps
	case c.swaps != nil:
		load[1] = c.swaps.Load()
	}
	key := cache.KeyOf(load, r)
	outputs, labels, found := c.store.Lookup(key)
	lookup := time.Since(began)
	if found {
		return sink(&infer.Response{Outputs: outputs, Labels: labels, Final: true, Cache: infer.CacheHit, CacheTook: lookup})
	}
	return c.behind.Infer(ctx, r, func(resp *infer.Response) error {
		began := time.Now()
		// Triton counts a miss when it inserts: equal requests in flight together count as one.
		if c.store.Insert(key, resp) {
			resp.Cache, resp.CacheTook = infer.CacheMiss, lookup+time.Since(began)
		}
		return sink(resp)
	})
}

// withCache puts the response cache in front of a version's scheduler, where the config asks for it and the server has one.
func (l *Loader) withCache(v *Version, scheduler infer.Handler) infer.Handler {
	switch enabled := v.Config.GetResponseCache().GetEnable(); {
	case enabled && l.Cache == nil:
		v.log.Warn("the config asks for the response cache, and this server has none: start it with --cache-config=local,size=BYTES")
	case enabled:
		c := &cached{behind: scheduler, store: l.Cache, load: v.counters.Generation()}
		if v.ensemble() {
			c.swaps = &l.Swaps
		}
		return c
	}
	return scheduler
}
