package onnx_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/cuda"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// processorMemory is a GPU's memory where the GPU is the processor.
type processorMemory struct{ file *os.File }

func (m processorMemory) Write(_ int, to uintptr, from []byte) error {
	cuda.Enter()
	defer cuda.Leave()
	_, err := m.file.WriteAt(from, int64(to))
	return err
}

func (m processorMemory) Read(_ int, to []byte, from uintptr) error {
	cuda.Enter()
	defer cuda.Leave()
	_, err := m.file.ReadAt(to, int64(from))
	return err
}

func (m processorMemory) Copy(gpu int, to, from uintptr, size int) error {
	data := make([]byte, size)
	if err := m.Read(gpu, data, from); err != nil {
		return err
	}
	return m.Write(gpu, to, data)
}

// ownMemory is the process's as that of a GPU.
func ownMemory(t *testing.T) func() (onnx.GPUMemory, error) {
	t.Helper()
	self, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { self.Close() })
	return func() (onnx.GPUMemory, error) { return processorMemory{self}, nil }
}

// graphWords are what the library tells of graphs and sessions.
func graphWords(told string) string {
	var words []string
	for _, line := range strings.Split(strings.TrimSpace(told), "\n") {
		switch what, number, _ := strings.Cut(line, " "); what {
		case "ordinary", "opened", "closed":
			words = append(words, what)
		case "recorded", "replayed", "bound":
			words = append(words, what+" "+number)
		}
	}
	return strings.Join(words, ", ")
}

// graphBackend is a backend whose CUDA graphs are a library's of a test; in a child of gpuChild with GPU_GRAPHS.
func graphBackend(t *testing.T, log *bytes.Buffer, accelerators ...onnx.Accelerator) *onnx.Backend {
	t.Helper()
	library := os.Getenv(gpuLibrary)
	if library == "" {
		t.Skip("it is a part of another test")
	}
	b := onnx.New(onnx.Options{Library: library, Log: slog.New(slog.NewTextHandler(log, nil)), Accelerators: accelerators, GPUMemory: ownMemory(t)})
	t.Cleanup(func() { b.Close() })
	return b
}

func graphic() *device {
	return &device{info: onnx.AcceleratorInfo{Name: "cuda", Provider: onCPU, GPU: true, Always: true, Graphs: "enable_cuda_graph"}}
}

func graphSpec(t *testing.T, dims ...any) backend.Spec {
	t.Helper()
	spec := specOf(t, onnxtest.Identity(onnxtest.Float, dims...).Bytes(), &modelconfig.ModelConfig{
		Optimization: &modelconfig.ModelOptimizationPolicy{ExecutionAccelerators: &modelconfig.ModelOptimizationPolicy_ExecutionAccelerators{
			GpuExecutionAccelerator: []*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator{
				{Name: "cuda", Parameters: map[string]string{"enable_cuda_graph": "true"}},
			},
		}},
	})
	spec.Devices = []backend.Device{{GPU: true, ID: 3}}
	return spec
}

func graphInstance(t *testing.T, model backend.Model) backend.Instance {
	t.Helper()
	instance, err := model.NewInstance(context.Background(), gpuInstance(3))
	if err != nil {
		t.Fatal(err)
	}
	return instance
}

// echoes sends requests as one batch to an identity of four columns, with as many rows each, and compares the answers.
func echoes(t *testing.T, instance backend.Instance, rows ...int64) {
	t.Helper()
	var requests []*infer.Request
	for _, n := range rows {
		echoed++
		values := make([]float32, 4*n)
		for k := range values {
			values[k] = float32(echoed*100 + k)
		}
		requests = append(requests, request(n, floats("INPUT", tensor.Shape{n, 4}, values...)))
	}
	for i, out := range run(context.Background(), t, instance, requests...) {
		if out.err != nil {
			t.Errorf("request %d: %v", i, out.err)
			continue
		}
		want := requests[i].Inputs[0]
		want.Name = "OUTPUT"
		if got := out.response.Output("OUTPUT"); show(got) != show(&want) {
			t.Errorf("request %d got\n%s, want\n%s", i, show(got), show(&want))
		}
		out.response.Release()
	}
}

// echoed makes each input another one.
var echoed int

// The first runs of a set of shapes are ordinary ones, the next is recorded, and all others are replayed, with the values of their
// own request. Each instance has a session of its own, which is closed with it.
func TestGraphs(t *testing.T) {
	want := "opened, ordinary, ordinary, ordinary, recorded 1, replayed 1, replayed 1, " + // one row
		"ordinary, ordinary, ordinary, recorded 2, recorded 3, replayed 2, replayed 3, " + // two rows, also of two requests; then one row is recorded again
		"opened, ordinary, ordinary, ordinary, recorded 1, replayed 1, closed, closed" // another instance
	if told := graphWords(gpuChild(t, "TestGraphsChild", "GPU_GRAPHS=1")); told != want {
		t.Errorf("the library was asked for\n%s\nwant\n%s", told, want)
	}
}

func TestGraphsChild(t *testing.T) {
	device := graphic()
	model, err := graphBackend(t, &bytes.Buffer{}, device).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 6 {
		echoes(t, instance, 1)
	}
	echoes(t, instance, 2)
	echoes(t, instance, 1, 1)
	echoes(t, instance, 2)
	echoes(t, instance, 1, 1)
	echoes(t, instance, 1)
	echoes(t, instance, 1, 1)
	echoes(t, instance, 1)
	other := graphInstance(t, model)
	for range 5 {
		echoes(t, other, 1)
	}
	for _, c := range []interface{ Close() error }{instance, other, model} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(device.used) != 2 || !device.used[0].Graphs || !device.used[1].Graphs {
		t.Errorf("sessions: %+v", device.used)
	}
}

// Inputs in the memory of the GPU are copied there to where the graph reads them, and those elsewhere by way of this process. Outputs are
// copied there to where the request wants them.
func TestGraphInputsOnAGPU(t *testing.T) {
	const want = "opened, ordinary, ordinary, ordinary, recorded 1, replayed 1, replayed 1, replayed 1, replayed 1, replayed 1, replayed 1, closed"
	if told := graphWords(gpuChild(t, "TestGraphInputsOnAGPUChild", "GPU_GRAPHS=1")); told != want {
		t.Errorf("the library was asked for\n%s\nwant\n%s", told, want)
	}
}

func TestGraphInputsOnAGPUChild(t *testing.T) {
	model, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", rowElements))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 2 {
		one(t, instance, request(1, row(0)))
	}
	for i, c := range []struct{ gpu, behind, reads int }{{3, 0, 0}, {3, 0, 0}, {3, 4, 0}, {0, 0, 1}} {
		r, d := put(row(float32(i)), c.gpu, c.behind)
		want := row(float32(i))
		want.Name = "OUTPUT"
		if out := one(t, instance, r).Output("OUTPUT"); show(out) != show(&want) || d.reads != c.reads {
			t.Errorf("%d: another answer, or read %d times", i, d.reads)
		}
	}
	lands(t, instance)
	instance.Close()
	model.Close()
}

// A run without elements is an ordinary one.
func TestNoGraphOfNothing(t *testing.T) {
	const want = "opened, ordinary, ordinary, ordinary, closed"
	if told := graphWords(gpuChild(t, "TestNoGraphOfNothingChild", "GPU_GRAPHS=1")); told != want {
		t.Errorf("the library was asked for\n%s\nwant\n%s", told, want)
	}
}

func TestNoGraphOfNothingChild(t *testing.T) {
	model, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", "n"))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 3 {
		one(t, instance, request(1, floats("INPUT", tensor.Shape{1, 0})))
	}
	instance.Close()
	model.Close()
}

// An instance makes a few graphs only. Runs of other shapes are ordinary ones.
func TestTooManyGraphs(t *testing.T) {
	told := graphWords(gpuChild(t, "TestTooManyGraphsChild", "GPU_GRAPHS=1"))
	if strings.Count(told, "recorded") != 8 || strings.Count(told, "replayed") != 8 || strings.Count(told, "ordinary") != 8*3+92*5 {
		t.Errorf("the library was asked for\n%s", told)
	}
}

func TestTooManyGraphsChild(t *testing.T) {
	model, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for rows := range int64(100) {
		for range 5 {
			echoes(t, instance, rows+1)
		}
	}
	instance.Close()
	model.Close()
}

// After the first run of other shapes nothing is replayed that was recorded before it: the session may have other memory. That is so
// for a while; then runs are ordinary ones, and the log says so.
func TestGraphsBesideNewShapes(t *testing.T) {
	told := graphWords(gpuChild(t, "TestGraphsBesideNewShapesChild", "GPU_GRAPHS=1"))
	if strings.Count(told, "recorded") != 32 || strings.Count(told, "replayed") != 32 || strings.Count(told, "ordinary") != 3+40+8*2 {
		t.Errorf("the library was asked for\n%s", told)
	}
}

func TestGraphsBesideNewShapesChild(t *testing.T) {
	log := &bytes.Buffer{}
	model, err := graphBackend(t, log, graphic()).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 3 {
		echoes(t, instance, 1)
	}
	for rows := range int64(40) {
		echoes(t, instance, 1)
		echoes(t, instance, 1)
		echoes(t, instance, rows+2)
	}
	instance.Close()
	model.Close()
	if told := log.String(); strings.Count(told, "no more CUDA graphs are recorded: the shapes of requests change too often") != 1 {
		t.Errorf("the log says\n%s", told)
	}
}

// A run that cannot be recorded is still answered, and the model goes on without graphs, on one session for all instances.
func TestGraphsThatCannotBeRecorded(t *testing.T) {
	const want = "opened, opened, ordinary, ordinary, ordinary, ordinary, ordinary, ordinary, recorded 1, closed, opened, recorded 1, closed, closed"
	if told := graphWords(gpuChild(t, "TestGraphsThatCannotBeRecordedChild", "GPU_GRAPHS=1", "GPU_RECORDS_NOTHING=1")); told != want {
		t.Errorf("the library was asked for\n%s\nwant\n%s", told, want)
	}
}

func TestGraphsThatCannotBeRecordedChild(t *testing.T) {
	log := &bytes.Buffer{}
	model, err := graphBackend(t, log, graphic()).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	first, second := graphInstance(t, model), graphInstance(t, model)
	for range 6 {
		echoes(t, first, 1)
		echoes(t, second, 1)
	}
	third := graphInstance(t, model)
	echoes(t, third, 1)
	for _, c := range []interface{ Close() error }{first, second, third, model} {
		c.Close()
	}
	if told := log.String(); strings.Count(told, "CUDA graphs are not used any more: a run could not be recorded as one") != 1 ||
		!strings.Contains(told, "CUDA failure 901") {
		t.Errorf("the log says\n%s", told)
	}
}

// A model with an input that the processor reads has no graphs: a replay would not see the request's. The log says so.
func TestModelsThatGraphsDoNotFit(t *testing.T) {
	const want = "opened, closed, opened, closed"
	if told := graphWords(gpuChild(t, "TestModelsThatGraphsDoNotFitChild", "GPU_GRAPHS=1", "GPU_NEEDS_PROCESSOR=1")); told != want {
		t.Errorf("the library was asked for\n%s\nwant\n%s", told, want)
	}
}

func TestModelsThatGraphsDoNotFitChild(t *testing.T) {
	graphless(t, graphic(), "'INPUT' is not in the memory of the GPU, because an operator needs it in that of the processor",
		"'OUTPUT' is not in the memory of the GPU, because an operator needs it in that of the processor")
}

// A provider whose graphs would give wrong answers makes none, and the log says so.
func TestRefusedParameterOfGraphs(t *testing.T) {
	const want = "opened, closed"
	if told := graphWords(gpuChild(t, "TestRefusedParameterOfGraphsChild", "GPU_GRAPHS=1")); told != want {
		t.Errorf("the library was asked for\n%s\nwant\n%s", told, want)
	}
}

func TestRefusedParameterOfGraphsChild(t *testing.T) {
	d, log := graphic(), &bytes.Buffer{}
	d.info.Graphs, d.info.NoGraphs = "", d.info.Graphs
	model, err := graphBackend(t, log, d).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 3 {
		echoes(t, instance, 1)
	}
	instance.Close()
	model.Close()
	const want = "CUDA graphs are not used: with cuda they would give other requests' outputs"
	if told := log.String(); strings.Count(told, want) != 1 || !strings.Contains(told, "parameter=enable_cuda_graph") || d.used[0].Graphs {
		t.Errorf("the log says\n%s", told)
	}
}

func graphless(t *testing.T, d *device, why ...string) {
	t.Helper()
	log := &bytes.Buffer{}
	model, err := graphBackend(t, log, d).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	instance := graphInstance(t, model)
	for range 3 {
		echoes(t, instance, 1)
	}
	instance.Close()
	model.Close()
	told := log.String()
	if !strings.Contains(told, "CUDA graphs are not used: ") || !strings.Contains(told, why[0]) && !strings.Contains(told, why[1]) {
		t.Errorf("the log says\n%s", told)
	}
	if len(d.used) != 2 || !d.used[0].Graphs || d.used[1].Graphs {
		t.Errorf("sessions: %+v", d.used)
	}
}

// What ONNX Runtime refuses at the load fails the load, and the error says what helps.
func TestRefusedGraphs(t *testing.T) {
	gpuChild(t, "TestRefusedGraphsChild", "GPU_GRAPHS=1", "GPU_REFUSES_GRAPHS=1")
}

func TestRefusedGraphsChild(t *testing.T) {
	_, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", 4))
	const want = "the model has control flow nodes; a CUDA graph needs a model whose nodes all run on the GPU, without If, Loop and Scan: " +
		"take 'enable_cuda_graph' out of the config"
	if infer.CodeOf(err) != infer.Internal || !strings.HasSuffix(fmt.Sprint(err), want) {
		t.Error(err)
	}
}

// Instances of one model run side by side, and record one after the other.
func TestGraphsSideBySide(t *testing.T) {
	told := graphWords(gpuChild(t, "TestGraphsSideBySideChild", "GPU_GRAPHS=1"))
	if strings.Count(told, "recorded 1") != 4 {
		t.Errorf("the library was asked for\n%s", told)
	}
}

func TestGraphsSideBySideChild(t *testing.T) {
	model, err := graphBackend(t, &bytes.Buffer{}, graphic()).Load(t.Context(), graphSpec(t, "batch", 4))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(instance backend.Instance, k, i int) {
		r := request(1, floats("INPUT", tensor.Shape{1, 4}, float32(k), float32(i), 2, 3))
		want := r.Inputs[0]
		want.Name = "OUTPUT"
		out := run(context.Background(), t, instance, r)[0]
		if out.err != nil || show(out.response.Output("OUTPUT")) != show(&want) {
			t.Errorf("instance %d, request %d: %v", k, i, out.err)
		}
		if out.response != nil {
			out.response.Release()
		}
	}
	var all sync.WaitGroup
	instances := make([]backend.Instance, 4)
	for k := range instances {
		instances[k] = graphInstance(t, model)
		all.Go(func() {
			for i := range 50 {
				ask(instances[k], k, i)
			}
		})
	}
	all.Wait()
	for k, instance := range instances {
		ask(instance, k, 50) // one that found no moment alone on a busy machine records now
		instance.Close()
	}
	model.Close()
}
