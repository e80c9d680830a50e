package onnx

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"conch/engine/backend"
	"conch/engine/backend/onnx/compiled"
	"conch/engine/backend/onnx/optimized"
	"conch/engine/backend/onnx/ort"
	"conch/engine/cuda"
	"conch/engine/infer"
)

// openCompiled returns the store for what accelerators compile, beside the optimized models; nil where those are not kept.
func openCompiled(o Options) *compiled.Store {
	store := openStore(o)
	if store == nil {
		return nil
	}
	return compiled.New(filepath.Join(filepath.Dir(store.Dir()), "compiled"), store.Limit(), o.Log)
}

// tellEvery is the time between two words to people about a model that is compiled.
const tellEvery = time.Second

// loadAccelerated makes the session of a model file. Where an accelerator compiles the graph, it has a folder to keep the outcome, and
// people hear that this takes time. When a session cannot be made with what was kept, all is compiled again, unless it is the GPU that does not bear it.
func (b *Backend) loadAccelerated(ctx context.Context, spec backend.Spec, r recipe, file string) (*ort.Session, error) {
	at := slices.IndexFunc(r.accelerators, func(a appended) bool { return a.Describe().Compiles })
	if at < 0 {
		return b.load(ctx, r, file)
	}
	one := &r.accelerators[at]
	folder, filled := "", false
	if b.compiled != nil {
		folder, filled = b.compiled.Folder(optimized.Source{
			File: file, Library: r.library.Path() + " " + r.library.Version(), Options: fmt.Sprint(one.use.Device, one.use.Parameters),
		})
	}
	one.use.Folder = folder
	session, err := b.loadCompiled(ctx, spec, r, one, filled, file)
	switch {
	case folder == "":
	case err != nil:
		b.compiled.Release(folder)
	default:
		b.folders.Store(session, folder) // closeAt releases it
	}
	return session, err
}

// loadCompiled makes the session with what an accelerator has compiled before, if its folder is filled, or else has it compile.
func (b *Backend) loadCompiled(ctx context.Context, spec backend.Spec, r recipe, one *appended, filled bool, file string) (*ort.Session, error) {
	if filled {
		session, err := b.load(ctx, r, file)
		if err == nil || ctx.Err() != nil || noPlace(err) {
			return session, err
		}
		b.options.Log.Warn("a model does not load with what was compiled of it before; it is compiled again",
			"model", spec.Name, "folder", one.use.Folder, "error", err)
		if err := b.compiled.Empty(one.use.Folder); err != nil {
			one.use.Folder = ""
		}
	}
	defer tellWhile(spec, one.Describe().Name)()
	return b.load(ctx, r, file)
}

// noPlace reports that a load failed for want of a GPU that has room and works. What was compiled is of use when there is one, and without it nothing is
// compiled either.
func noPlace(err error) bool {
	return infer.CodeOf(err) == infer.Unavailable || cuda.IsLasting(err.Error())
}

// tellWhile tells people that a model is compiled, until it ends.
func tellWhile(spec backend.Spec, accelerator string) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	begun := time.Now()
	tell := func() {
		spec.Tell(fmt.Sprintf("%s compiles the model, which may take minutes the first time (%d s)", accelerator, int(time.Since(begun).Seconds())))
	}
	tell()
	go func() {
		defer close(ended)
		tick := time.NewTicker(tellEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				tell()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
