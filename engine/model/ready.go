package model

import (
	"context"
	"sync"
	"time"

	"conch/engine/backend"
)

// readyPatience is how long a model may take to say that it is ready, as in Triton.
const readyPatience = 5 * time.Second

// Ready reports whether the version can serve: one of its instances runs, and none of them says that it is not ready.
func (v *Version) Ready(ctx context.Context) bool {
	if _, down := v.Trouble(); down {
		return false
	}
	var probers []backend.Prober
	for _, in := range v.pool.all() {
		if p, ok := in.part().(backend.Prober); ok && in.revival.why() == nil {
			probers = append(probers, p)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	return all(probers, func(p backend.Prober) bool { return p.Ready(ctx) == nil })
}

// AllReady reports whether all of these versions are ready.
func AllReady(ctx context.Context, versions []*Version) bool {
	return all(versions, func(v *Version) bool { return v.Ready(ctx) })
}

// all reports whether something holds for each element. It asks them side by side.
func all[T any](list []T, holds func(T) bool) bool {
	answers := make([]bool, len(list))
	var wait sync.WaitGroup
	for i, element := range list {
		wait.Go(func() { answers[i] = holds(element) })
	}
	wait.Wait()
	for _, yes := range answers {
		if !yes {
			return false
		}
	}
	return true
}
