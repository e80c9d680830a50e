package onnx

import (
	"context"
	"fmt"
	"strings"

	"conch/configedit/modelfile"
	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/cuda"
	"conch/engine/hostpolicy"
	"conch/engine/infer"
)

// openFirst makes the first session of a model. It tells whether the model's instances make CUDA graphs: where the config asks for
// them, and nothing of the model speaks against them.
func (b *Backend) openFirst(ctx context.Context, spec backend.Spec, at placement) (session *ort.Session, graphs bool, err error) {
	asked := b.asksGraphs(spec, at)
	if session, err = b.open(ctx, spec, at, spec.Policy, asked != nil); err != nil || asked == nil {
		return session, false, err
	}
	why := b.unfit(session)
	if why == "" {
		return session, true, nil
	}
	b.options.Log.Warn("CUDA graphs are not used: "+why, "model", spec.Name, "parameter", asked.Graphs)
	b.closeAt(at, session)
	session, err = b.open(ctx, spec, at, spec.Policy, false)
	return session, false, err
}

// asksGraphs returns the accelerator whose parameters ask for CUDA graphs; nil for none, and for what open has to refuse.
func (b *Backend) asksGraphs(spec backend.Spec, at placement) *AcceleratorInfo {
	list, err := b.accelerators(spec.Config, nil, at, true)
	if err != nil {
		return nil
	}
	return recipe{accelerators: list}.graphs()
}

// graphs returns the accelerator that makes CUDA graphs of the session's runs; nil for none.
func (r recipe) graphs() *AcceleratorInfo {
	for _, a := range r.accelerators {
		if a.graphs() {
			info := a.Describe()
			return &info
		}
	}
	return nil
}

// refusedGraphs adds what helps to the error of a session that cannot make CUDA graphs.
func (r recipe) refusedGraphs(err error) error {
	info := r.graphs()
	if info == nil || !strings.Contains(err.Error(), "graph capture") {
		return err
	}
	return infer.Errorf(infer.CodeOf(err), "%v; a CUDA graph needs a model whose nodes all run on the GPU, without If, Loop and Scan: take '%s' out of the config",
		err, info.Graphs)
}

// unfit returns why the runs of a session cannot be recorded as CUDA graphs; "" when they can. A replay reads and writes memory of
// the GPU alone.
func (b *Backend) unfit(session *ort.Session) string {
	if _, err := b.options.GPUMemory(); err != nil {
		return err.Error()
	}
	inputs, outputs, err := session.OnGPU()
	if err != nil {
		return err.Error()
	}
	graph := session.Model()
	for what, side := range map[string]struct {
		tensors []modelfile.Tensor
		onGPU   []bool
	}{"input": {graph.Inputs, inputs}, "output": {graph.Outputs, outputs}} {
		for i, t := range side.tensors {
			if !side.onGPU[i] {
				return fmt.Sprintf("%s '%s' is not in the memory of the GPU, because an operator needs it in that of the processor", what, t.Name)
			}
		}
	}
	return ""
}

// refuseGraphs tells of parameters that ask for CUDA graphs and are left out.
func (b *Backend) refuseGraphs(model string, list []appended) {
	for _, a := range list {
		parameter := a.Describe().NoGraphs
		if on, err := boolean(a.use.Parameters[parameter]); err == nil && on {
			b.options.Log.Warn("CUDA graphs are not used: with "+a.Describe().Name+" they would give other requests' outputs", "model", model, "parameter", parameter)
		}
	}
}

// withoutGraph is the run option of a run that is neither recorded nor replayed, on a session that makes CUDA graphs.
var withoutGraph = map[string]string{"gpu_graph_id": "-1"}

// recording returns an instance that records its runs as CUDA graphs and replays them. It has a session and a thread of its own:
// ONNX Runtime keeps graphs by session and thread, and gives such a session one CUDA stream.
func (m *model) recording(ctx context.Context, at placement, policy hostpolicy.Policy) (backend.Instance, error) {
	own := m.newOwner(at, policy)
	session, err := m.session(ctx, own, policy)
	if err != nil {
		return nil, err
	}
	runner, err := m.runner(session, withoutGraph)
	if err != nil {
		m.closeSeat(own)
		return nil, err
	}
	in := newInstance(m, at, session, runner)
	in.policy = policy
	if in.graphs, err = newGraphs(own, policy); err != nil {
		runner.Close()
		m.closeSeat(own)
		return nil, err
	}
	return in, nil
}

// newOwner returns a seat for one instance. It takes over a session that makes graphs and that no instance has yet.
func (m *model) newOwner(at placement, policy hostpolicy.Policy) seat {
	m.mu.Lock()
	defer m.mu.Unlock()
	shared := seat{placement: at, policy: policy.Name}
	own := shared
	m.owners++
	own.owner = m.owners
	if session := m.sessions[shared]; session != nil {
		m.sessions[own] = session
		delete(m.sessions, shared)
	}
	return own
}

// closeSeat closes the session of a seat, which nobody uses any more.
func (m *model) closeSeat(at seat) {
	m.mu.Lock()
	session := m.sessions[at]
	delete(m.sessions, at)
	m.mu.Unlock()
	if session != nil {
		m.backend.closeAt(at.placement, session)
	}
}

// closeAt closes a session at a place, and releases what its accelerator had compiled.
func (b *Backend) closeAt(at placement, session *ort.Session) {
	if at.gpu {
		cuda.Enter()
		defer cuda.Leave()
	}
	session.Close()
	if folder, held := b.folders.LoadAndDelete(session); held {
		b.compiled.Release(folder.(string))
	}
}
