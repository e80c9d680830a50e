package model

import (
	"context"
	"time"

	"conch/engine/infer"
)

// loadGrace is how long a load that nobody wants any more may take to come back from its framework.
const loadGrace = grace

// orLeave runs a load. When ctx ends and the framework does not come back from it, the load is left behind: what it holds is
// freed when it comes back after all.
func (l *Loader) orLeave(ctx context.Context, name string, number int64, load func() (*Version, error)) (*Version, error) {
	var v *Version
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		v, err = load()
	}()
	select {
	case <-done:
		return v, err
	case <-ctx.Done():
	}
	late := time.NewTimer(loadGrace)
	defer late.Stop()
	select {
	case <-done:
		return v, err
	case <-late.C:
	}
	log := l.Log.With("model", name, "version", number)
	log.Error("a load that was given up does not come back from its framework: it is left behind, and so is its memory until it does")
	go func() {
		<-done
		log.Info("a load that was left behind has come back")
		if v == nil {
			return
		}
		if err := v.Close(); err != nil {
			log.Warn("freeing a load that was left behind", "error", err)
		}
	}()
	return nil, infer.Errorf(infer.Cancelled, "load of model '%s' was given up and does not come back from its framework", name)
}
