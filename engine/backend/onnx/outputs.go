package onnx

import (
	"slices"
	"sync/atomic"

	"conch/engine/backend"
	"conch/engine/cuda"
	"conch/engine/infer"
	"conch/engine/tensor"
)

var _ backend.GPUWriter = (*model)(nil)

// WritesGPU reports whether the model has a session on that GPU.
func (m *model) WritesGPU(gpu int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at := range m.sessions {
		if at.placement == (placement{gpu: true, device: gpu}) {
			_, err := m.backend.options.GPUMemory()
			return err == nil && m.layout == nil
		}
	}
	return false
}

// late reports whether a provider of the sessions at a place does not wait for inputs: a run that leaves outputs on the GPU has a binding,
// and would read some before they are there.
func (m *model) late(at placement) bool {
	list, err := m.backend.accelerators(m.spec.Config, nil, at, false)
	return err != nil || slices.ContainsFunc(list, func(a appended) bool { return a.Describe().Late })
}

// made is an output of the run at hand.
type made struct {
	tensor.Tensor
	onGPU   bool // its bytes are in the GPU's memory, in place of Data
	address uintptr
	size    int
}

// leaves reports whether an output stays in the GPU's memory when the model has run: the request has a place for it there, or it was
// large, so that it is copied to pinned memory.
func (in *instance) leaves(out output) bool {
	if !in.at.gpu || in.late || in.model.layout != nil || tensor.DataType(in.session.Model().Outputs[out.index].Type) == tensor.Bytes {
		return false
	}
	landing := in.landings[out.name]
	return landing != nil && landing.GPU() == in.at.device || in.large[out.index]
}

// output is the k-th wanted output of the run at hand.
func (in *instance) output(k int) (m made) {
	m.Name = in.wanted[k].name
	if s := in.replayed; s != nil {
		out := &s.outputs[k]
		elements, _ := out.Shape.Elements()
		m.Type, m.Shape = out.Type, append(in.shape[:0], out.Shape...)
		m.onGPU, m.address, m.size = true, s.fixed.Output(k), int(elements)*out.Type.Size()
		return m
	}
	m.Type, m.Shape, m.Data = in.runner.Output(k, in.shape[:0])
	m.address, m.size, m.onGPU = in.runner.OutputOnGPU(k)
	if in.at.gpu && in.model.pinned.outputs && !m.onGPU && m.Type != tensor.Bytes && in.model.backend.options.Pinned.Lends(len(m.Data)) {
		in.grewLarge(in.wanted[k].index)
	}
	return m
}

// grewLarge keeps that an output is large, if it is made in the GPU's memory: any other one would go there and back.
func (in *instance) grewLarge(output int) {
	if _, known := in.large[output]; known {
		return
	}
	if in.large == nil {
		in.large = map[int]bool{}
	}
	_, outputs, err := in.session.OnGPU()
	in.large[output] = err == nil && outputs[output]
}

// land copies an output to the place that its request has for it on the GPU. It returns false where there is no such place, or where it
// is too small.
func (in *instance) land(m *made, requests []*infer.Request, answers []answer) (bool, error) {
	place := in.landings[m.Name]
	if place == nil || !m.onGPU || place.GPU() != in.at.device {
		return false, nil
	}
	size, shape := m.size, m.Shape
	if in.model.batching() {
		cut, err := newCutter(m.Tensor, requests)
		if err != nil {
			return false, err
		}
		items := max(requests[0].Batch, 1)
		size = int(items * cut.rows)
		shape[0] = items
	}
	if size > place.Size() {
		return false, nil
	}
	memory, err := in.model.backend.options.GPUMemory()
	if err == nil {
		err = memory.Copy(in.at.device, place.Address(), m.address, size)
	}
	if err != nil {
		return false, in.copyFailed(err)
	}
	in.tell("outputs in CUDA shared memory are written there")
	answers[0].add(m.Tensor, shape)
	answers[0].response.Landed = append(answers[0].response.Landed, m.Name)
	return true, nil
}

// bring copies an output that is in the GPU's memory to this process's, to a pinned piece where there is one.
func (in *instance) bring(m *made) error {
	if !m.onGPU || m.size == 0 {
		return nil
	}
	memory, err := in.model.backend.options.GPUMemory()
	if err != nil {
		return in.copyFailed(err)
	}
	var piece *cuda.Pinned
	if in.model.pinned.outputs {
		piece = in.model.backend.options.Pinned.Take(in.at.device, m.size)
	}
	if piece != nil {
		in.tell("large outputs are copied to pinned memory")
		in.pieces = append(in.pieces, piece)
		m.Data = piece.Bytes()[:m.size:m.size]
	} else {
		m.Data = make([]byte, m.size)
	}
	if err := memory.Read(in.at.device, m.Data, m.address); err != nil {
		return in.copyFailed(err)
	}
	return nil
}

// freeOnGPU frees outputs in the GPU's memory, when they have been copied. The answers may stay longer than the session, and what is freed
// then would be freed beside a recording.
func (in *instance) freeOnGPU() {
	if !in.runner.HasOnGPU() {
		return
	}
	cuda.Enter()
	defer cuda.Leave()
	in.runner.FreeOnGPU()
}

// lend leaves the pieces that hold outputs to the answers, which give them back when the last one is released. Without answers they are
// given back at once.
func (in *instance) lend(answers []answer, ok bool) {
	if len(in.pieces) == 0 {
		return
	}
	pool, pieces := in.model.backend.options.Pinned, in.pieces
	in.pieces = nil
	give := func() {
		for _, p := range pieces {
			pool.Give(p)
		}
	}
	if !ok {
		give()
		return
	}
	pending := new(atomic.Int32)
	pending.Store(int32(len(answers)))
	for i := range answers {
		release := answers[i].response.Release
		answers[i].response.Release = func() {
			release()
			if pending.Add(-1) == 0 {
				give()
			}
		}
	}
}
