package model

import (
	"context"
	"time"

	"conch/engine/infer"
)

// loadGrace is how long a cancelled load may take to return from its framework.
const loadGrace = grace

// orLeave runs a load. When ctx ends and the framework does not return, the load is given up: its memory is freed when it
// returns after all.
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
	log.Error("a load was cancelled, and its framework does not return: its memory stays in use until the framework returns")
	go func() {
		<-done
		log.Info("the framework has returned from a cancelled load, and its memory is freed")
		if v == nil {
			return
		}
		if err := v.Close(); err != nil {
			log.Warn("the memory of a cancelled load could not be freed", "error", err)
		}
	}()
	return nil, infer.Errorf(infer.Cancelled, "load of model '%s' was given up: its framework does not return", name)
}
