package onnx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"conch/engine/backend/onnx/optimized"
	"conch/engine/backend/onnx/ort"
)

const (
	// DefaultOptimizedBytes bounds the folder of optimized models.
	DefaultOptimizedBytes = 8 << 30
	// DefaultOptimizedFrom is the smallest size of a model whose optimized form is kept. A smaller model loads in some tens
	// of milliseconds anyway, and a user who saves it often must not wait for a copy each time.
	DefaultOptimizedFrom = 16 << 20
)

// openStore returns the store that the options describe; nil for none. It writes nothing before a large model is loaded.
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

// load makes the session of a model file, from the kept optimized model or from the file. In the second case it keeps the
// optimized model. Errors in the store do not make a load fail.
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

// fromKept makes a session from the kept optimized model; nil when there is none, or when ONNX Runtime refuses it.
func (b *Backend) fromKept(ctx context.Context, r recipe, key string) *ort.Session {
	kept := b.store.Find(key)
	if kept == "" {
		return nil
	}
	asIs := ort.DisableAll
	session, err := r.session(ctx, source{file: kept, level: &asIs})
	if err == nil {
		session.MappedBytes = sizeOf(filepath.Join(filepath.Dir(kept), optimized.WeightsName))
		return session
	}
	if ctx.Err() == nil {
		b.options.Log.Warn("a kept optimized model does not load and was removed", "file", kept, "error", err)
		b.store.Remove(key)
	}
	return nil
}

// keepable reports whether the saved graph can replace the model. Parts that an accelerator compiled and custom operators
// cannot be saved, and saving a graph that is not optimized has no use.
func (r recipe) keepable() bool {
	return len(r.accelerators) == 0 && len(r.options.CustomOps) == 0 &&
		graphLevels[r.options.GraphLevel] != ort.DisableAll
}

// shape returns the part of the options on which the optimized graph depends.
func (r recipe) shape() string {
	return fmt.Sprintf("level %d, entries %v", r.options.GraphLevel, r.options.Session)
}

// sizeOf returns the size of files; those that cannot be looked at count nothing.
func sizeOf(files ...string) (total uint64) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			total += uint64(info.Size())
		}
	}
	return total
}
