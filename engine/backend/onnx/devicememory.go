package onnx

import (
	"conch/engine/backend"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
	"conch/engine/tensor"
)

var _ backend.GPUReader = (*model)(nil)

const (
	// alignment is that of the memory that CUDA gives out, which kernels rely on.
	alignment = 256
	// leastPinned is the smallest batch that is joined in pinned memory. CUDA takes a smaller one over at once.
	leastPinned = 64 << 10
)

// ReadsGPU reports whether the model has a session on that GPU. What ragged batches are made of is read here.
func (m *model) ReadsGPU(gpu int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for at := range m.sessions {
		if at.placement == (placement{gpu: true, device: gpu}) {
			return m.layout == nil
		}
	}
	return false
}

// setAway adds an input that is in the memory of a GPU. ONNX Runtime reads it there if the instance is on that GPU. Otherwise it
// is copied.
func (in *instance) setAway(t *tensor.Tensor, away infer.Away) error {
	if here := (placement{gpu: true, device: away.GPU()}); in.at != here || away.Address()%alignment != 0 {
		near := *t
		near.Data = make([]byte, away.Size())
		if err := away.Read(near.Data); err != nil {
			return infer.Errorf(infer.Internal, "input '%s' of model '%s' cannot be read: %v", t.Name, in.model.spec.Name, err)
		}
		return in.setInput(&near)
	}
	index, shape, err := in.place(t)
	if err != nil {
		return err
	}
	in.tell("inputs in CUDA shared memory are read where they are")
	return in.wrong(in.runner.CUDAInput(index, t, shape, in.at.device, away.Address(), away.Size()))
}

// pin returns memory for a batch from which the instance's GPU copies directly; nil for an instance on the CPU, and where it has
// no use or cannot be had.
func (in *instance) pin(size int) *ort.Pinned {
	if !in.at.gpu || in.unpinned || size < leastPinned || size > keepJoined {
		return nil
	}
	pinned, err := in.session.Pinned(in.at.device, size)
	if err != nil {
		in.unpinned = true
		in.tell("batches are joined in ordinary memory, from which a GPU copies more slowly", "error", err)
		return nil
	}
	in.tell("batches are joined in pinned memory")
	return pinned
}

// tell writes a line into the verbose log, once.
func (in *instance) tell(text string, more ...any) {
	if in.told[text] {
		return
	}
	if in.told == nil {
		in.told = map[string]bool{}
	}
	in.told[text] = true
	in.model.backend.options.Log.Debug(text, append(more, "model", in.model.spec.Name, "gpu", in.at.device)...)
}

// unpin gives pinned memory back.
func (j *joined) unpin() {
	if j.pinned != nil {
		j.tensor.Data = nil
		j.pinned.Close()
		j.pinned = nil
	}
}
