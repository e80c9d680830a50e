package fake

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"strings"
	"sync/atomic"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// Name is the name in a config's `backend` field, unless Backend.As is set.
const Name = "fake"

// File is the default name of the model file.
const File = "model.fake"

// Content is the response parameter with the text of the model file.
const Content = "content"

// Backend makes models that copy. Set the fields before use.
type Backend struct {
	As string // another name
	// OnLoad is called by each load before the file is read; an error fails the load.
	OnLoad func(ctx context.Context, spec backend.Spec) error
	// OnInstance is called before each instance is made; an error fails the instance.
	OnInstance func(spec backend.InstanceSpec) error
	// InParallel is how many instances are made at a time; 0 for one.
	InParallel int
	// GPUs are the GPUs on which instances can run, and Holds is the memory that each instance reports on its device.
	GPUs  []backend.Memory
	Holds uint64
	NoGPU string // why there are none; "" for "it has none"
	// Mortal makes instances that a test can kill.
	Mortal bool
	// Ahead makes such instances take so many batches while one runs (backend.Eager).
	Ahead int
	// OnCalls is called with the handler by which each instance calls other models.
	OnCalls func(models infer.Handler)
	// OnReady is what each instance is asked for its readiness; nil for always ready.
	OnReady func(ctx context.Context) error
	// OnExecute replaces the copying.
	OnExecute func(ctx context.Context, spec backend.Spec, batch *backend.Batch)

	Models    atomic.Int64 // loaded, not yet closed
	Instances atomic.Int64 // made, not yet closed
	Loads     atomic.Int64 // begun, also those that failed
	Closed    atomic.Bool
}

var (
	_ backend.Backend   = (*Backend)(nil)
	_ backend.Completer = (*Backend)(nil)
	_ backend.Model     = (*model)(nil)
	_ backend.Instance  = (*instance)(nil)

	_ backend.DataOnly       = (*Backend)(nil)
	_ backend.DeviceLister   = (*Backend)(nil)
	_ backend.MemoryReporter = (*instance)(nil)
	_ backend.Prober         = (*instance)(nil)
	_ backend.Parallel       = (*model)(nil)
)

// Name returns As, or Name.
func (b *Backend) Name() string {
	if b.As != "" {
		return b.As
	}
	return Name
}

// Load reads the model file.
func (b *Backend) Load(ctx context.Context, spec backend.Spec) (backend.Model, error) {
	b.Loads.Add(1)
	if b.OnLoad != nil {
		if err := b.OnLoad(ctx, spec); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, infer.Errorf(infer.Cancelled, "load of model '%s' was cancelled", spec.Name)
	}
	path := spec.File
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return nil, infer.Refused(rule.ORT0, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, infer.Errorf(infer.Internal, "read model file: %v", err)
	}
	if strings.HasPrefix(string(text), "broken") {
		return nil, infer.Errorf(infer.Internal, "%s", bytes.TrimSpace(text))
	}
	b.Models.Add(1)
	return &model{backend: b, spec: spec, layout: backend.LayoutOf(spec.Config), content: string(bytes.TrimSpace(text))}, nil
}

// Devices implements backend.DeviceLister.
func (b *Backend) Devices() (gpus []backend.Memory, why string) {
	if len(b.GPUs) > 0 {
		return b.GPUs, ""
	}
	return nil, cmp.Or(b.NoGPU, "it has none")
}

// DataOnly implements backend.DataOnly.
func (b *Backend) DataOnly() bool { return true }

// Memory implements backend.MemoryReporter.
func (in *instance) Memory() []backend.Memory {
	return []backend.Memory{{Device: in.at, Bytes: in.model.backend.Holds}}
}

// Ready implements backend.Prober: a model file with the text "unready" is of a model that is never ready.
func (in *instance) Ready(ctx context.Context) error {
	if in.model.content == "unready" {
		return infer.Errorf(infer.Unavailable, "it says so")
	}
	if hook := in.model.backend.OnReady; hook != nil {
		return hook(ctx)
	}
	return nil
}

// Close records the call.
func (b *Backend) Close() error {
	b.Closed.Store(true)
	return nil
}

type model struct {
	backend *Backend
	spec    backend.Spec
	layout  *backend.Layout
	content string
}

func (m *model) NewInstance(_ context.Context, spec backend.InstanceSpec) (backend.Instance, error) {
	if hook := m.backend.OnInstance; hook != nil {
		if err := hook(spec); err != nil {
			return nil, err
		}
	}
	m.backend.Instances.Add(1)
	in := &instance{model: m, at: backend.Device{GPU: spec.Kind == modelconfig.ModelInstanceGroup_KIND_GPU, ID: spec.Device}}
	if m.backend.Mortal {
		mortal := &Mortal{calling: calling{in}, died: make(chan struct{})}
		if m.backend.Ahead > 0 {
			return eager{mortal, make(chan struct{}, 1)}, nil
		}
		return mortal, nil
	}
	if m.backend.OnCalls != nil || strings.HasPrefix(m.content, Calls) {
		return calling{in}, nil
	}
	return in, nil
}

// Parallel implements backend.Parallel.
func (m *model) Parallel() int { return m.backend.InParallel }

func (m *model) Close() error {
	m.backend.Models.Add(-1)
	return nil
}

type instance struct {
	model  *model
	models infer.Handler
	at     backend.Device
}

func (in *instance) Close() error {
	in.model.backend.Instances.Add(-1)
	return nil
}

// Execute answers every request of the batch on its own.
func (in *instance) Execute(ctx context.Context, batch *backend.Batch) {
	if strings.HasPrefix(in.model.content, Calls) {
		in.executeCalls(ctx, batch)
		return
	}
	if hook := in.model.backend.OnExecute; hook != nil {
		hook(ctx, in.model.spec, batch)
		return
	}
	if in.model.layout != nil {
		in.executeWhole(batch)
		return
	}
	if strings.HasPrefix(in.model.content, Later) {
		in.executeLater(batch)
		return
	}
	batch.InputDone()
	batch.InferDone()
	for i, r := range batch.Requests {
		batch.Respond(i, in.model.copy(r))
	}
}

// copy copies input i to output i; the last input serves the remaining outputs.
func (m *model) copy(r *infer.Request) *infer.Response {
	resp := &infer.Response{Parameters: map[string]any{Content: m.content}, Final: true}
	for i, out := range m.spec.Config.Output {
		if !r.Wants(out.Name) || len(r.Inputs) == 0 {
			continue
		}
		in := r.Inputs[min(i, len(r.Inputs)-1)]
		if i < len(m.spec.Config.Input) {
			if named := r.Input(m.spec.Config.Input[i].Name); named != nil {
				in = *named
			}
		}
		resp.Outputs = append(resp.Outputs, tensor.Tensor{
			Name: out.Name, Type: in.Type, Shape: in.Shape, Data: bytes.Clone(in.Data),
		})
	}
	return resp
}
