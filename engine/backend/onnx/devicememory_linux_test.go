package onnx_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/cuda"
	"conch/engine/cuda/cudatest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// The child's environment: the library whose GPU is the processor, and where it tells what it was asked for.
const (
	gpuLibrary = "GPU_LIBRARY"
	gpuReport  = "GPU_REPORT"
)

// gpuChild runs a test in a process of its own, with a library whose GPU is the processor: a process has one library. It returns what
// the library was asked for.
func gpuChild(t *testing.T, child string, more ...string) string {
	t.Helper()
	dir := t.TempDir()
	library, report, working := filepath.Join(dir, "libgpu.so"), filepath.Join(dir, "report"), onnxtest.Library(t)
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, "testdata/gpu.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("compile the library: %v\n%s", err, out)
	}
	if info, err := os.Stat(working); err == nil && info.IsDir() {
		working = filepath.Join(working, "libonnxruntime.so.1")
	}
	run := exec.Command(os.Args[0], "-test.run", "^"+child+"$")
	run.Env = append(append(os.Environ(), gpuLibrary+"="+library, gpuReport+"="+report, "GPU_REAL="+working), more...)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	told, err := os.ReadFile(report)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(told)
}

// unpin switches the pinned memory of inputs or outputs off in a config.
func unpin(cfg *modelconfig.ModelConfig, which string) {
	policy, off := &modelconfig.ModelOptimizationPolicy{}, &modelconfig.ModelOptimizationPolicy_PinnedMemoryBuffer{}
	if strings.Contains(which, "input") {
		policy.InputPinnedMemory = off
	}
	if strings.Contains(which, "output") {
		policy.OutputPinnedMemory = off
	}
	cfg.Optimization = policy
}

// childOnGPU is an instance on GPU 3 of a model that answers its input, rows of 64 KB.
func childOnGPU(t *testing.T) (backend.Model, backend.Instance) {
	t.Helper()
	return childOnGPUWith(t, &bytes.Buffer{}, nil)
}

func childOnGPUWith(t *testing.T, log *bytes.Buffer, pool *cuda.Pool, accelerators ...onnx.Accelerator) (backend.Model, backend.Instance) {
	t.Helper()
	library := os.Getenv(gpuLibrary)
	if library == "" {
		t.Skip("it is a part of another test")
	}
	b := onnx.New(onnx.Options{
		Library: library, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Accelerators: append(accelerators, gpuOnCPU()), GPUMemory: ownMemory(t), Pinned: pool,
	})
	t.Cleanup(func() { b.Close() })
	spec := specOf(t, onnxtest.Identity(onnxtest.Float, "batch", rowElements).Bytes(), nil)
	spec.Devices = []backend.Device{{GPU: true, ID: 3}}
	unpin(spec.Config, os.Getenv("GPU_UNPINNED"))
	model, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { model.Close() })
	instance, err := model.NewInstance(context.Background(), gpuInstance(3))
	if err != nil {
		t.Fatal(err)
	}
	return model, instance
}

const rowElements = 16 << 10

// row is an input of one row, with the number everywhere.
func row(number float32) tensor.Tensor {
	return floats("INPUT", tensor.Shape{1, rowElements}, slices.Repeat([]float32{number}, rowElements)...)
}

// onADevice is an input in the memory of a GPU.
type onADevice struct {
	gpu   int
	data  []byte
	reads int
	err   error
}

func (d *onADevice) GPU() int         { return d.gpu }
func (d *onADevice) Address() uintptr { return uintptr(unsafe.Pointer(&d.data[0])) }
func (d *onADevice) Size() int        { return len(d.data) }

func (d *onADevice) Read(to []byte) error {
	d.reads++
	copy(to, d.data)
	return d.err
}

// put puts an input on a GPU, so far behind an address that CUDA could give out.
func put(t tensor.Tensor, gpu, behind int) (*infer.Request, *onADevice) {
	room := make([]byte, len(t.Data)+256+behind)
	begin := int(-uintptr(unsafe.Pointer(&room[0]))%256) + behind
	d := &onADevice{gpu: gpu, data: room[begin : begin+len(t.Data)]}
	copy(d.data, t.Data)
	t.Data = nil
	r := request(1, t)
	r.Away = map[string]infer.Away{t.Name: d}
	return r, d
}

// An input in the memory of the instance's GPU is read there. Any other one is copied.
func TestInputsOnAGPU(t *testing.T) {
	if told, want := gpuChild(t, "TestInputsOnAGPUChild"), "device 3\non the GPU 65536\n"; told != want {
		t.Errorf("the library was asked for\n%swant\n%s", told, want)
	}
}

func TestInputsOnAGPUChild(t *testing.T) {
	model, instance := childOnGPU(t)
	defer instance.Close()
	if m := model.(backend.GPUReader); !m.ReadsGPU(3) || m.ReadsGPU(0) {
		t.Error("the model has a session on GPU 3 alone")
	}
	for name, c := range map[string]struct{ gpu, behind, reads int }{
		"there": {3, 0, 0}, "on another GPU": {0, 0, 1}, "at an odd address": {3, 4, 1},
	} {
		r, d := put(row(7), c.gpu, c.behind)
		want := row(7)
		want.Name = "OUTPUT"
		if out := one(t, instance, r).Output("OUTPUT"); show(out) != show(&want) || d.reads != c.reads {
			t.Errorf("%s: another answer, or read %d times", name, d.reads)
		}
	}
	r, d := put(row(7), 0, 0)
	d.err = errors.New("it is gone")
	if failed := execute(t, instance, r); infer.CodeOf(failed) != infer.Internal || failed.Error() != "input 'INPUT' of model 'm' cannot be read: it is gone" {
		t.Error(failed)
	}
	short, _ := put(row(7), 3, 0)
	short.Inputs[0].Shape = tensor.Shape{2, rowElements}
	if failed := execute(t, instance, short); infer.CodeOf(failed) != infer.InvalidArg || !strings.Contains(failed.Error(), "input 'INPUT' has 65536 bytes") {
		t.Error(failed)
	}
}

// Batches for a GPU are joined in pinned memory, which is kept for the next ones and given back with the instance. Large outputs are
// copied to such memory, and it is given back with the last answer. Without a pool all is as right.
func TestPinnedMemory(t *testing.T) {
	const want = "batches are joined in pinned memory, large outputs are copied to pinned memory"
	if told := gpuChild(t, "TestPinnedMemoryChild", "GPU_POOL=1", "FAKE_CUDA_DEVICES=4", "WANT="+want); strings.Count(told, "left") != 3 {
		t.Errorf("the library was asked for\n%s", told)
	}
	for what, more := range map[string][]string{
		"without a pool": {"WANT="}, "with an empty pool": {"WANT=", "GPU_POOL=0"},
		"without outputs":               {"GPU_POOL=1", "FAKE_CUDA_DEVICES=4", "WANT=batches are joined in pinned memory", "UNWANTED=large outputs", "GPU_UNPINNED=output"},
		"with neither":                  {"GPU_POOL=1", "FAKE_CUDA_DEVICES=4", "WANT=", "UNWANTED=pinned memory", "GPU_UNPINNED=input output"},
		"with outputs of the processor": {"GPU_POOL=1", "FAKE_CUDA_DEVICES=4", "WANT=batches are joined in pinned memory", "GPU_NEEDS_PROCESSOR=1"},
	} {
		if told := gpuChild(t, "TestPinnedMemoryChild", more...); strings.Contains(told, "left") {
			t.Errorf("%s the library was asked for\n%s", what, told)
		}
	}
}

func TestPinnedMemoryChild(t *testing.T) {
	var pool *cuda.Pool
	megabytes := os.Getenv("GPU_POOL")
	limit := int64(len(strings.Trim(megabytes, "0"))) << 20
	if megabytes != "" {
		library := cudatest.Library(t)
		pool = cuda.NewPool(limit, func() (*cuda.Driver, error) { return cuda.Open(library) })
	}
	log := &bytes.Buffer{}
	_, instance := childOnGPUWith(t, log, pool)
	for _, size := range []int{2, 2, 3, 2} {
		var requests []*infer.Request
		for i := range size {
			requests = append(requests, request(1, row(float32(i))))
		}
		for i, out := range run(t.Context(), t, instance, requests...) {
			if out.err != nil {
				t.Fatal(out.err)
			}
			want := row(float32(i))
			want.Name = "OUTPUT"
			if got := out.response.Output("OUTPUT"); show(got) != show(&want) {
				t.Errorf("%d of %d has another answer", i, size)
			}
			out.response.Release()
		}
	}
	if err := instance.Close(); err != nil {
		t.Error(err)
	}
	for _, line := range strings.Split(os.Getenv("WANT"), ", ") {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log does not say %q:\n%s", line, log)
		}
	}
	if unwanted := os.Getenv("UNWANTED"); unwanted != "" && strings.Contains(log.String(), unwanted) {
		t.Errorf("the log says %q:\n%s", unwanted, log)
	}
	if limit > 0 && pool.Take(3, int(limit)) == nil {
		t.Error("not all pinned memory was given back")
	}
}

// landing is a place for an output in the memory of a GPU.
type landing struct {
	gpu  int
	data []byte
}

func (l landing) GPU() int         { return l.gpu }
func (l landing) Address() uintptr { return uintptr(unsafe.Pointer(&l.data[0])) }
func (l landing) Size() int        { return len(l.data) }

// An output goes to the place that a request has for it in the memory of the instance's GPU. Where it is elsewhere or too small, the
// output is in the answer.
func TestOutputsOnAGPU(t *testing.T) {
	if told := gpuChild(t, "TestOutputsOnAGPUChild"); strings.Count(told, "left") != 3 {
		t.Errorf("the library was asked for\n%s", told)
	}
	if told := graphWords(gpuChild(t, "TestOutputsOnAGPUChild", "GPU_GRAPHS=1")); !strings.Contains(told, "bound") {
		t.Errorf("the library was asked for\n%s", told)
	}
}

// What an output has of the GPU's memory is free when it has been copied, however long the answer is kept.
func TestOutputsLeaveTheGPU(t *testing.T) {
	if told := gpuChild(t, "TestOutputsLeaveTheGPUChild"); strings.Count(told, "left") != 2 {
		t.Errorf("the library was asked for\n%s", told)
	}
}

func TestOutputsLeaveTheGPUChild(t *testing.T) {
	_, instance := childOnGPUWith(t, &bytes.Buffer{}, nil)
	defer instance.Close()
	for i, room := range []int{0, -4} {
		r, want := request(1, row(7)), row(7)
		r.Landings = map[string]infer.Landing{"OUTPUT": landing{3, make([]byte, len(want.Data)+room)}}
		one(t, instance, r)
		told, err := os.ReadFile(os.Getenv(gpuReport))
		if err != nil || strings.Count(string(told), "freed") != i+1 {
			t.Errorf("with %d bytes of room the library was asked for\n%s(%v)", len(want.Data)+room, told, err)
		}
	}
}

// Where a provider does not wait for inputs, outputs come back with the run.
func TestOutputsOfAProviderThatDoesNotWait(t *testing.T) {
	if told := gpuChild(t, "TestOutputsOfAProviderThatDoesNotWaitChild"); strings.Contains(told, "left") {
		t.Errorf("the library was asked for\n%s", told)
	}
}

func TestOutputsOfAProviderThatDoesNotWaitChild(t *testing.T) {
	late := gpuOnCPU()
	late.info.Late = true
	_, instance := childOnGPUWith(t, &bytes.Buffer{}, nil, late)
	defer instance.Close()
	r, want := request(1, row(7)), row(7)
	r.Landings = map[string]infer.Landing{"OUTPUT": landing{3, make([]byte, len(want.Data))}}
	if response := one(t, instance, r); len(response.Landed) > 0 || !bytes.Equal(response.Output("OUTPUT").Data, want.Data) {
		t.Errorf("another answer, or it landed: %v", response.Landed)
	}
}

func TestOutputsOnAGPUChild(t *testing.T) {
	model, instance := childOnGPUWith(t, &bytes.Buffer{}, nil)
	defer instance.Close()
	if m := model.(backend.GPUWriter); !m.WritesGPU(3) || m.WritesGPU(0) {
		t.Error("the model has a session on GPU 3 alone")
	}
	lands(t, instance)
}

// lands has an instance write outputs to places of all kinds.
func lands(t *testing.T, instance backend.Instance) {
	t.Helper()
	for i, c := range []struct {
		gpu, room int
		landed    bool
	}{{3, 0, true}, {3, 256, true}, {3, -4, false}, {0, 0, false}} {
		r, want := request(1, row(float32(10+i))), row(float32(10+i))
		place := landing{c.gpu, make([]byte, len(want.Data)+c.room)}
		r.Landings = map[string]infer.Landing{"OUTPUT": place, "OTHER": place}
		response := one(t, instance, r)
		out := response.Output("OUTPUT")
		if landed := slices.Equal(response.Landed, []string{"OUTPUT"}); landed != c.landed || !slices.Equal(out.Shape, want.Shape) || out.Type != want.Type {
			t.Errorf("%d: landed %v, %s %s", i, landed, out.Type, out.Shape)
		}
		got := out.Data
		if c.landed {
			got = place.data[:len(want.Data)]
		}
		if !bytes.Equal(got, want.Data) {
			t.Errorf("%d: another answer", i)
		}
	}
}

// A model tells what it holds on each GPU.
func TestModelOnAGPU(t *testing.T) {
	if told := gpuChild(t, "TestModelOnAGPUChild"); told != "device 3\n" {
		t.Errorf("the library was asked for\n%s", told)
	}
}

func TestModelOnAGPUChild(t *testing.T) {
	model, instance := childOnGPU(t)
	defer instance.Close()
	one(t, instance, request(1, row(1))).Release()
	list := model.(backend.MemoryReporter).Memory()
	if len(list) != 2 || list[0].Device.GPU || list[1].Device != (backend.Device{GPU: true, ID: 3}) || list[1].Bytes < 4*rowElements {
		t.Errorf("%v", list)
	}
}
