package onnx

import (
	"context"
	"os"
	"slices"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
	"conch/engine/tensor"
)

var (
	_ backend.Model          = (*model)(nil)
	_ backend.MemoryReporter = (*model)(nil)
)

// model is one loaded version: a session that its instances share.
type model struct {
	spec    backend.Spec
	session *ort.Session
	options derive.ONNXOptions
	// fileBytes is the size of the file that the session was made from.
	fileBytes uint64

	inputs map[string]input
	// outputs are those of the config, in its order, and then the states of sequences.
	outputs []output
}

// input is where a tensor goes in the session.
type input struct {
	index  int
	scalar bool // the graph's tensor has no dimensions
}

// output is where a tensor comes from.
type output struct {
	name  string
	index int
	// scalarShape is what a graph tensor without dimensions is shown as: the config's dims.
	scalarShape tensor.Shape
}

func newModel(spec backend.Spec, session *ort.Session, options derive.ONNXOptions) *model {
	m := &model{spec: spec, session: session, options: options, inputs: map[string]input{}, fileBytes: fileBytes(spec)}
	graph := session.Model()
	for i, t := range append(graph.Inputs[:len(graph.Inputs):len(graph.Inputs)], graph.Overridable...) {
		m.inputs[t.Name] = input{index: i, scalar: len(t.Dims) == 0}
	}
	for _, out := range spec.Config.Output {
		i := slices.IndexFunc(graph.Outputs, func(t derive.ONNXTensor) bool { return t.Name == out.Name })
		if i >= 0 && !m.has(i) { // a config may list an output twice
			m.outputs = append(m.outputs, output{name: out.Name, index: i, scalarShape: scalarShape(out)})
		}
	}
	for _, s := range spec.Config.GetSequenceBatching().GetState() {
		i := slices.IndexFunc(graph.Outputs, func(t derive.ONNXTensor) bool { return t.Name == s.OutputName })
		if i >= 0 && !m.has(i) {
			m.outputs = append(m.outputs, output{name: s.OutputName, index: i, scalarShape: s.Dims})
		}
	}
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

// batching tells whether requests may be joined along their first dimension.
func (m *model) batching() bool { return m.spec.Config.MaxBatchSize > 0 }

// NewInstance makes an instance: working memory of its own, the session shared.
func (m *model) NewInstance(_ context.Context, spec backend.InstanceSpec) (backend.Instance, error) {
	if spec.Kind == modelconfig.ModelInstanceGroup_KIND_GPU {
		return nil, infer.Errorf(infer.Unsupported,
			"instance %s of model '%s' has kind KIND_GPU but the ONNX Runtime in use runs on the CPU only", spec.Name, m.spec.Name)
	}
	entries := map[string]string{}
	if m.options.ArenaShrinkage != "" {
		entries["memory.enable_memory_arena_shrinkage"] = m.options.ArenaShrinkage
	}
	runner, err := m.session.NewRunner(entries)
	if err != nil {
		return nil, asInferError(err)
	}
	return newInstance(m, runner), nil
}

// MemoryBytes is what the session holds on the CPU. ONNX Runtime tells of its arena alone, which is empty for a small
// graph; the file's size is the better guess then.
func (m *model) MemoryBytes() uint64 { return max(m.session.MemoryBytes(), m.fileBytes) }

// fileBytes is the size of the model's file; 0 when it cannot be told.
func fileBytes(spec backend.Spec) uint64 {
	path, err := modelFile(spec)
	if err != nil {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return uint64(info.Size())
}

// Close frees the session when no run is in flight and gives its memory back to the system.
func (m *model) Close() error {
	m.session.Close()
	ort.TrimMemory()
	return nil
}
