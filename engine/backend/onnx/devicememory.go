package onnx

import (
	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/cuda"
	"conch/engine/infer"
	"conch/engine/tensor"
)

var _ backend.GPUReader = (*model)(nil)

// alignment is that of the memory that CUDA gives out, which kernels rely on.
const alignment = 256

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

// here reports whether an input is in the memory of the instance's GPU.
func (in *instance) here(away infer.Away) bool {
	return away != nil && in.at == placement{gpu: true, device: away.GPU()}
}

// feedAway gives an input that is in the memory of the instance's GPU to the runner. ONNX Runtime reads it there. done is false for
// any other input.
func (in *instance) feedAway(g given) (done bool, err error) {
	if !in.here(g.away) || g.away.Address()%alignment != 0 {
		return false, nil
	}
	in.tell("inputs in CUDA shared memory are read where they are")
	return true, in.wrong(in.runner.CUDAInput(g.index, g.tensor, g.shape, in.at.device, g.away.Address(), g.away.Size()))
}

// near is an input with its bytes in this process's memory.
func (in *instance) near(g given) (*tensor.Tensor, error) {
	if g.away == nil {
		return g.tensor, nil
	}
	near := *g.tensor
	near.Data = make([]byte, g.away.Size())
	if err := g.away.Read(near.Data); err != nil {
		return nil, infer.Errorf(infer.Internal, "input '%s' of model '%s' cannot be read: %v", near.Name, in.model.spec.Name, err)
	}
	return &near, nil
}

// pinned are input_pinned_memory and output_pinned_memory of a config.
type pinned struct{ inputs, outputs bool }

// pinnedOf reads them. What a config does not say is true; completion says that, too.
func pinnedOf(o *modelconfig.ModelOptimizationPolicy) pinned {
	on := func(b *modelconfig.ModelOptimizationPolicy_PinnedMemoryBuffer) bool { return b == nil || b.Enable }
	return pinned{inputs: on(o.GetInputPinnedMemory()), outputs: on(o.GetOutputPinnedMemory())}
}

// pin returns memory for a batch from which the instance's GPU copies directly; nil for an instance on the CPU, and where it has
// no use or cannot be had.
func (in *instance) pin(size int) *cuda.Pinned {
	if !in.at.gpu || size > keepJoined || !in.model.pinned.inputs {
		return nil
	}
	pinned := in.model.backend.options.Pinned.Take(in.at.device, size)
	if pinned != nil {
		in.tell("batches are joined in pinned memory")
	}
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
func (in *instance) unpin(j *joined) {
	if j.pinned != nil {
		j.tensor.Data = nil
		in.model.backend.options.Pinned.Give(j.pinned)
		j.pinned = nil
	}
}
