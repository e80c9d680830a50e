package onnx

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/hostpolicy"
	"conch/engine/tensor"
)

var (
	_ backend.Model          = (*model)(nil)
	_ backend.MemoryReporter = (*model)(nil)
)

// model is one loaded version. It has a session for each place where its instances run; the instances at a place share it.
type model struct {
	backend *Backend
	spec    backend.Spec
	// layout builds ragged batches; nil when the model has none.
	layout *backend.Layout
	// arenaShrinkage names the arenas that return memory after each run; "" for none.
	arenaShrinkage string
	// pinned says which tensors may be in pinned memory.
	pinned pinned

	// opening is held while a session is made, so that each place gets only one.
	opening sync.Mutex
	// mu guards sessions.
	mu       sync.Mutex
	sessions map[seat]*ort.Session
	// graphs is true while instances make CUDA graphs: then each has a session of its own. owners numbers them.
	graphs atomic.Bool
	owners int

	rest rest

	inputs map[string]input
	// outputs are the outputs of the config and the states of sequences. They have the order of their names, as in Triton
	// (docs/triton/onnx.md, "Running"): clients take the first one.
	outputs []output
}

// seat is where a session runs, what its threads are bound to, and the instance that has it alone; 0 for none.
type seat struct {
	placement
	policy string
	owner  int
}

// shrinkageKey is the name of the parameter in a config, and of ONNX Runtime's run option.
const shrinkageKey = "memory.enable_memory_arena_shrinkage"

// input connects an input of the config with the session.
type input struct {
	index  int
	scalar bool // the graph's tensor has no dimensions
}

// output connects an output of the config with the session.
type output struct {
	name  string
	index int
	// scalarShape replaces the shape of a graph tensor without dimensions: the config's dims.
	scalarShape tensor.Shape
}

func newModel(b *Backend, spec backend.Spec, at seat, session *ort.Session) *model {
	m := &model{
		backend: b, spec: spec, layout: backend.LayoutOf(spec.Config),
		arenaShrinkage: spec.Config.GetParameters()[shrinkageKey].GetStringValue(),
		pinned:         pinnedOf(spec.Config.GetOptimization()),
		sessions:       map[seat]*ort.Session{at: session},
		inputs:         map[string]input{},
	}
	m.rest.calm = m.shrink
	b.models.Store(m, nil)
	graph := session.Model()
	for i, t := range append(graph.Inputs[:len(graph.Inputs):len(graph.Inputs)], graph.Overridable...) {
		m.inputs[t.Name] = input{index: i, scalar: len(t.Dims) == 0}
	}
	for _, out := range spec.Config.Output {
		i := slices.IndexFunc(graph.Outputs, func(t modelfile.Tensor) bool { return t.Name == out.Name })
		if i >= 0 && !m.has(i) { // a config may list an output twice
			m.outputs = append(m.outputs, output{name: out.Name, index: i, scalarShape: scalarShape(out)})
		}
	}
	for _, s := range spec.Config.GetSequenceBatching().GetState() {
		i := slices.IndexFunc(graph.Outputs, func(t modelfile.Tensor) bool { return t.Name == s.OutputName })
		if i >= 0 && !m.has(i) {
			m.outputs = append(m.outputs, output{name: s.OutputName, index: i, scalarShape: s.Dims})
		}
	}
	slices.SortStableFunc(m.outputs, func(a, b output) int { return strings.Compare(a.name, b.name) })
	return m
}

func (m *model) has(index int) bool {
	return slices.ContainsFunc(m.outputs, func(o output) bool { return o.index == index })
}

func scalarShape(out *modelconfig.ModelOutput) tensor.Shape {
	if out.Reshape != nil {
		return out.Reshape.Shape
	}
	return out.Dims
}

// batching reports whether requests may be joined along their first dimension.
func (m *model) batching() bool { return m.spec.Config.MaxBatchSize > 0 }

// NewInstance returns an instance with its own working memory and the shared session of its place.
func (m *model) NewInstance(ctx context.Context, spec backend.InstanceSpec) (backend.Instance, error) {
	at := placement{gpu: spec.Kind == modelconfig.ModelInstanceGroup_KIND_GPU, device: spec.Device}
	if at.gpu && m.graphs.Load() {
		return m.recording(ctx, at, spec.Policy)
	}
	session, err := m.session(ctx, seat{placement: at, policy: spec.Policy.Name}, spec.Policy)
	if err != nil {
		return nil, err
	}
	runner, err := m.runner(session, nil)
	if err != nil {
		return nil, err
	}
	return newInstance(m, at, session, runner), nil
}

// runner makes a runner with the options of the model's runs, and more.
func (m *model) runner(session *ort.Session, entries map[string]string) (*ort.Runner, error) {
	if m.arenaShrinkage != "" && entries == nil { // a CUDA graph uses its arena between runs, too
		entries = map[string]string{shrinkageKey: m.arenaShrinkage}
	}
	runner, err := session.NewRunner(entries)
	if err != nil {
		return nil, asInferError(err)
	}
	runner.Memory = m.spec.Memory
	return runner, nil
}

// session returns the session of a seat. The first instance there creates it.
func (m *model) session(ctx context.Context, at seat, policy hostpolicy.Policy) (*ort.Session, error) {
	m.opening.Lock()
	defer m.opening.Unlock()
	if session := m.opened(at); session != nil {
		return session, nil
	}
	session, err := m.backend.open(ctx, m.spec, at.placement, policy, at.owner != 0)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[at] = session
	return session, nil
}

func (m *model) opened(at seat) *ort.Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sessions[at]
}

// firstPlace returns the place of a model's first instance.
func firstPlace(devices []backend.Device) placement {
	if len(devices) == 0 {
		return placement{}
	}
	return placement{gpu: devices[0].GPU, device: devices[0].ID}
}

// Memory returns what the sessions hold on each device, as ONNX Runtime measures it, with the weights that it maps from files.
// Sessions that map the same file share it.
func (m *model) Memory() []backend.Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := []backend.Memory{{}}
	var mapped uint64
	for at, session := range m.sessions {
		list[0].Bytes += session.MemoryBytes()
		mapped = max(mapped, session.MappedBytes)
		if !at.gpu {
			continue
		}
		there := backend.Memory{Device: backend.Device{GPU: true, ID: at.device}, Bytes: session.GPUMemoryBytes(at.device)}
		if i := slices.IndexFunc(list, func(m backend.Memory) bool { return m.Device == there.Device }); i >= 0 {
			list[i].Bytes += there.Bytes
		} else if there.Bytes > 0 {
			list = append(list, there)
		}
	}
	list[0].Bytes += mapped
	return list
}

// Close frees the sessions when no run uses them, and returns their memory to the system.
func (m *model) Close() error {
	m.backend.models.Delete(m)
	m.mu.Lock()
	defer m.mu.Unlock()
	for at, session := range m.sessions {
		m.backend.closeAt(at.placement, session)
	}
	ort.TrimMemory()
	return nil
}
