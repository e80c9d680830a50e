package onnx

import (
	"context"
	"fmt"

	"conch/engine/backend/onnx/optimized"
	"conch/engine/backend/onnx/ort"
)

const (
	// DefaultOptimizedBytes bounds the folder of optimized models.
	DefaultOptimizedBytes = 8 << 30
	// DefaultOptimizedFrom is from what size on an optimized model is kept. A smaller one loads in some tens of milliseconds
	// anyway, and who saves it over and over must not wait for a copy each time.
	DefaultOptimizedFrom = 16 << 20
)

// openStore makes the store that the options describe; nil for none. Nothing is written before a large model is loaded.
func openStore(o Options) *optimized.Store {
	dir, limit := o.Settings.Optimized, o.Settings.OptimizedBytes
	if dir == "" {
		dir = o.OptimizedDir
	}
	if dir == "" || dir == "off" {
		return nil
	}
	if limit == 0 {
		limit = DefaultOptimizedBytes
	}
	return optimized.New(optimized.Options{Dir: dir, Limit: limit, Log: o.Log})
}

// load makes the session of a model file: from the optimized model that was kept, or from the file, and then what
// came of optimizing is kept. Nothing that goes wrong with the keeping makes a load fail.
func (b *Backend) load(ctx context.Context, r recipe, file string) (*ort.Session, error) {
	plain := source{file: file}
	if b.store == nil || !r.keepable() {
		return r.session(ctx, plain)
	}
	from := optimized.Source{File: file, Library: r.library.Path() + " " + r.library.Version(), Options: r.shape()}
	now, err := from.Look()
	if err != nil || now.Bytes < b.keptFrom() {
		return r.session(ctx, plain)
	}
	if session := b.fromKept(ctx, r, now.Key); session != nil {
		return session, nil
	}
	draft := b.store.Begin(from, now)
	if draft == nil {
		return r.session(ctx, plain)
	}
	session, err := r.session(ctx, source{file: file, saveTo: draft.Model(), weights: optimized.WeightsName})
	if err == nil {
		draft.Keep()
		return session, nil
	}
	draft.Drop()
	if ctx.Err() != nil {
		return nil, err
	}
	if session, err = r.session(ctx, plain); err == nil { // it was the writing that failed
		b.store.Refuse(now.Key)
	}
	return session, err
}

func (b *Backend) keptFrom() int64 {
	if from := b.options.Settings.OptimizedFrom; from > 0 {
		return from
	}
	return DefaultOptimizedFrom
}

// fromKept makes the session of an optimized model; nil when there is none that ONNX Runtime takes.
func (b *Backend) fromKept(ctx context.Context, r recipe, key string) *ort.Session {
	kept := b.store.Find(key)
	if kept == "" {
		return nil
	}
	asIs := ort.DisableAll
	session, err := r.session(ctx, source{file: kept, level: &asIs})
	if err == nil {
		return session
	}
	if ctx.Err() == nil {
		b.options.Log.Warn("a kept optimized model does not load and was removed", "file", kept, "error", err)
		b.store.Remove(key)
	}
	return nil
}

// keepable tells whether a saved graph says all: parts compiled by an accelerator and other people's operators do not fit into
// a file, and a graph that is not optimized gains nothing.
func (r recipe) keepable() bool {
	return len(r.accelerators) == 0 && len(r.options.CustomOps) == 0 &&
		graphLevels[r.options.GraphLevel] != ort.DisableAll
}

// shape is what in the options decides about the optimized graph.
func (r recipe) shape() string {
	return fmt.Sprintf("level %d, entries %v", r.options.GraphLevel, r.options.Session)
}
