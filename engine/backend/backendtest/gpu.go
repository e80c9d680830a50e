package backendtest

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"unsafe"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// RunOnGPU tests what a backend promises that reads inputs or writes outputs in the memory of a GPU (GPUReader, GPUWriter). It runs
// with a stand-in for the GPU with that number, whose memory is this process's. Run tests what instances elsewhere promise.
func RunOnGPU(t *testing.T, s Subject, gpu int) {
	b := s.New(t)
	t.Cleanup(func() { check(t, "close backend", b.Close()) })
	spec := s.Identity(t, gpuShape)
	spec.Devices = []backend.Device{{GPU: true, ID: gpu}}
	m, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	t.Cleanup(func() { check(t, "close model", m.Close()) })
	in, err := m.NewInstance(t.Context(), backend.InstanceSpec{Name: spec.Name + "_0", Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Device: gpu})
	if err != nil {
		t.Fatalf("make instance: %v", err)
	}
	t.Cleanup(func() { check(t, "close instance", in.Close()) })
	l := loaded{Model: m, Instance: in}
	reader, reads := m.(backend.GPUReader)
	writer, writes := m.(backend.GPUWriter)
	if !reads && !writes {
		t.Fatal("its models neither read nor write the memory of GPUs: there is nothing to test")
	}
	if reads {
		if !reader.ReadsGPU(gpu) || reader.ReadsGPU(gpu+1) {
			t.Errorf("with an instance on GPU %d alone it reads there %v, on the next GPU %v", gpu, reader.ReadsGPU(gpu), reader.ReadsGPU(gpu+1))
		}
		readsAway(t, l, gpu, true)
		readsAway(t, l, gpu+1, false)
	}
	if writes {
		if !writer.WritesGPU(gpu) || writer.WritesGPU(gpu+1) {
			t.Errorf("with an instance on GPU %d alone it writes there %v, on the next GPU %v", gpu, writer.WritesGPU(gpu), writer.WritesGPU(gpu+1))
		}
		writesAway(t, l, gpu, true)
		writesAway(t, l, gpu+1, false)
	}
	if reads && writes {
		keepsNothing(t, l, gpu)
	}
}

// testGPUMemory: an instance on the CPU copies an input from the memory of a GPU, and leaves a place for an output there alone.
func testGPUMemory(t *testing.T, s Subject) {
	l := load(t, s, s.Identity(t, gpuShape))
	if r, ok := l.Model.(backend.GPUReader); ok {
		if r.ReadsGPU(0) || r.ReadsGPU(-1) {
			t.Error("with an instance on the CPU alone it reads the memory of a GPU where it is")
		}
		readsAway(t, l, 0, false)
	}
	if w, ok := l.Model.(backend.GPUWriter); ok {
		if w.WritesGPU(0) || w.WritesGPU(-1) {
			t.Error("with an instance on the CPU alone it writes to the memory of a GPU")
		}
		writesAway(t, l, 0, false)
	}
}

var gpuShape = Shape{Type: tensor.FP32, Dims: []int64{64}, MaxBatch: 8}

// readsAway: an input in the memory of a GPU is read there by an instance on it, and copied once by any other. It does not change.
// What cannot be read fails its request alone.
func readsAway(t *testing.T, l loaded, gpu int, here bool) {
	t.Helper()
	r, memory := away(gpu, 3)
	want := r.Inputs[0]
	want.Data = bytes.Clone(memory.data)
	wantCopy(t, execute(t.Context(), t, l.Instance, r)[0], "OUT", want)
	if here && memory.reads != 0 || !here && memory.reads != 1 || !bytes.Equal(memory.data, want.Data) {
		t.Errorf("an input on GPU %d was copied %d times, or changed", gpu, memory.reads)
	}
	short, _ := away(gpu, 4)
	short.Inputs[0].Shape = tensor.Shape{2, 64}
	if a := execute(t.Context(), t, l.Instance, short)[0]; a.err == nil {
		t.Errorf("an input on GPU %d with half of its bytes was answered", gpu)
	}
	if !here {
		gone, memory := away(gpu, 5)
		memory.err = errors.New("it is gone")
		if a := execute(t.Context(), t, l.Instance, gone)[0]; a.err == nil {
			t.Errorf("an input on GPU %d that cannot be read was answered", gpu)
		}
	}
	next := request("IN", tensor.FP32, tensor.Shape{1, 64}, 6)
	wantCopy(t, execute(t.Context(), t, l.Instance, next)[0], "OUT", next.Inputs[0])
}

// writesAway: an output is either at the place that a request has for it, and told as landed, or in the answer as any other. Nothing
// is written beside it, nor to a place that is too small.
func writesAway(t *testing.T, l loaded, gpu int, here bool) {
	t.Helper()
	for _, room := range []int{0, 64, -4} {
		r := request("IN", tensor.FP32, tensor.Shape{1, 64}, byte(room+7))
		in := r.Inputs[0]
		place := &gpuMemory{gpu: gpu, data: aligned(len(in.Data) + room)}
		untouched := bytes.Repeat([]byte{0xEE}, len(place.data))
		copy(place.data, untouched)
		r.Landings = map[string]infer.Landing{"OUT": place, "NO OUTPUT": place}
		a := execute(t.Context(), t, l.Instance, r)[0]
		landed := slices.Contains(a.landed, "OUT")
		if landed != (here && room >= 0) || len(a.landed) > 1 {
			t.Errorf("with %d bytes more than it needs on GPU %d, landed: %v", room, gpu, a.landed)
		}
		if landed {
			if out := a.outputs[slices.IndexFunc(a.outputs, func(o tensor.Tensor) bool { return o.Name == "OUT" })]; len(out.Data) > 0 {
				t.Error("an output landed, and is in the answer too")
			}
			copy(untouched, in.Data)
			for i := range a.outputs {
				a.outputs[i].Data = place.data[:len(in.Data)]
			}
		}
		wantCopy(t, a, "OUT", in)
		if !bytes.Equal(place.data, untouched) {
			t.Errorf("with %d bytes more than it needs on GPU %d another part of it was written", room, gpu)
		}
	}
}

// keepsNothing: many requests that leave nothing here take no more memory of the GPU than a few did.
func keepsNothing(t *testing.T, l loaded, gpu int) {
	t.Helper()
	held := func() (bytes uint64) {
		for _, part := range []any{l.Model, l.Instance} {
			if r, ok := part.(backend.MemoryReporter); ok {
				for _, m := range r.Memory() {
					bytes += m.Bytes
				}
			}
		}
		return bytes
	}
	var before uint64
	for i := range 60 {
		if i == 10 {
			before = held()
		}
		r, memory := away(gpu, byte(i))
		place := &gpuMemory{gpu: gpu, data: aligned(len(memory.data))}
		r.Landings = map[string]infer.Landing{"OUT": place}
		if a := execute(t.Context(), t, l.Instance, r)[0]; a.err != nil || !bytes.Equal(place.data, memory.data) {
			t.Fatalf("request %d: %v, or another answer", i, a.err)
		}
	}
	if after := held(); after > before {
		t.Errorf("after 60 requests it holds %d bytes, after 10 it held %d", after, before)
	}
}

// gpuMemory is a piece of memory of a GPU: an input, or a place for an output.
type gpuMemory struct {
	gpu   int
	data  []byte
	reads int
	err   error
}

func (m *gpuMemory) GPU() int         { return m.gpu }
func (m *gpuMemory) Address() uintptr { return uintptr(unsafe.Pointer(&m.data[0])) }
func (m *gpuMemory) Size() int        { return len(m.data) }

func (m *gpuMemory) Read(to []byte) error {
	m.reads++
	copy(to, m.data)
	return m.err
}

// aligned is memory that begins where CUDA gives memory out.
func aligned(size int) []byte {
	const alignment = 256
	room := make([]byte, size+alignment)
	begin := int(-uintptr(unsafe.Pointer(&room[0])) % alignment)
	return room[begin:][:size:size]
}

// away is a request whose input is in the memory of a GPU.
func away(gpu int, seed byte) (*infer.Request, *gpuMemory) {
	r := request("IN", tensor.FP32, tensor.Shape{1, 64}, seed)
	in := &r.Inputs[0]
	m := &gpuMemory{gpu: gpu, data: aligned(len(in.Data))}
	copy(m.data, in.Data)
	in.Data = nil
	r.Away = map[string]infer.Away{"IN": m}
	return r, m
}
