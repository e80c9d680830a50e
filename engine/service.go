package engine

import (
	"context"
	"strconv"

	"conch/configedit/modelconfig"
	"conch/engine/control"
	"conch/engine/infer"
	"conch/engine/kserve"
	"conch/engine/model"
)

// Enter returns the version for a request, and keeps it loaded until Leave.
func (e *Engine) Enter(name string, version int64) (infer.Target, error) {
	t, err := e.manager.Enter(name, version)
	t.Through = e
	return t, err
}

// Infer runs a request on its model.
func (e *Engine) Infer(ctx context.Context, r *infer.Request, sink infer.Sink) error {
	t, err := e.Enter(r.Model, r.Version)
	if err != nil {
		return err
	}
	defer t.Leave()
	return t.Infer(ctx, r, sink)
}

// Pass passes a request to its version, if there is memory for it.
func (e *Engine) Pass(ctx context.Context, to infer.Handler, r *infer.Request, sink infer.Sink) error {
	r.Alone = e.inside.Add(1) == 1
	defer e.inside.Add(-1)
	if !r.Counted {
		account := e.memory.Open()
		defer account.Close()
		if err := account.Grow(sizeOf(r)); err != nil {
			return &infer.Error{
				Code: infer.CodeOf(err), Fate: infer.TurnedAway, Message: r.ErrorPrefix() + err.Error(),
			}
		}
	}
	return to.Infer(ctx, r, sink)
}

// sizeOf returns the memory of a request, with the strings that a backend makes of BYTES elements.
func sizeOf(r *infer.Request) int64 {
	size := int64(infer.RequestCost)
	for i := range r.Inputs {
		size += int64(len(r.Inputs[i].Data)) + r.Inputs[i].StringsSize()
	}
	return size
}

// Live reports whether the engine runs. It does not depend on the models.
func (e *Engine) Live() bool { return e.live.Load() }

// Ready reports whether everything serves that should serve. Models that have a say in it are asked.
func (e *Engine) Ready(ctx context.Context) bool {
	if e.o.LenientReadiness {
		return e.manager.Settled()
	}
	return e.manager.Ready() && model.AllReady(ctx, e.manager.Serving())
}

// ModelReady reports whether a version serves, and says itself that it is ready where it has a say in it. An unknown name
// is not an error: it is not ready.
func (e *Engine) ModelReady(ctx context.Context, name string, version int64) (bool, error) {
	v, err := e.manager.Version(name, version)
	if err != nil {
		return false, nil
	}
	return v.Ready(ctx), nil
}

// Metadata describes the tensors of a version, and lists the versions that serve.
func (e *Engine) Metadata(name string, version int64) (*kserve.Metadata, error) {
	v, all, err := e.manager.Look(name, version)
	if err != nil {
		return nil, err
	}
	m := &kserve.Metadata{
		Name: name, Platform: v.Platform(),
		Inputs: describe(v.Inputs()), Outputs: describe(v.Outputs()),
		Versions: []string{strconv.FormatInt(v.Number, 10)},
	}
	if version == infer.Latest {
		m.Versions = nil
		for _, v := range all {
			m.Versions = append(m.Versions, strconv.FormatInt(v.Number, 10))
		}
	}
	return m, nil
}

func describe(tensors []model.Described) []kserve.TensorMetadata {
	list := make([]kserve.TensorMetadata, len(tensors))
	for i, t := range tensors {
		list[i] = kserve.TensorMetadata{Name: t.Name, Datatype: t.Datatype.String(), Shape: t.Shape}
	}
	return list
}

// Config returns the completed config of a version.
func (e *Engine) Config(name string, version int64) (*modelconfig.ModelConfig, error) {
	v, err := e.manager.Version(name, version)
	if err != nil {
		return nil, err
	}
	return v.Config, nil
}

// Index lists the repository.
func (e *Engine) Index(readyOnly bool) []kserve.IndexEntry {
	rows := e.manager.Index(readyOnly)
	list := make([]kserve.IndexEntry, len(rows))
	for i, r := range rows {
		list[i] = kserve.IndexEntry{Name: r.Name, State: string(r.State), Reason: r.Reason}
		if r.Version != control.NoVersion {
			list[i].Version = strconv.FormatInt(r.Version, 10)
		}
	}
	return list
}

// WithoutVersion returns the models that a load found no version of. The index leaves them out.
func (e *Engine) WithoutVersion() []string { return e.manager.WithoutVersion() }

// Load loads a model, or loads it again where its files have changed.
func (e *Engine) Load(ctx context.Context, name string, o kserve.LoadOptions) error {
	return e.manager.Load(ctx, name, control.Request{Override: o.Config, Files: o.Files, Force: o.Force})
}

// Unload unloads a model.
func (e *Engine) Unload(_ context.Context, name string, o kserve.UnloadOptions) error {
	return e.manager.Unload(name, o.Dependents)
}
