package model_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
	"conch/engine/placement"
)

func gpu(id int, free uint64) backend.Memory {
	return backend.Memory{Device: backend.Device{GPU: true, ID: id}, Bytes: free}
}

const onGPUs = fakeModel + "max_batch_size: 4 instance_group [{ count: 2 kind: KIND_GPU gpus: [%s] }, { kind: KIND_CPU }]"

// placing is a loader on a machine with two GPUs, whose backend can use the given ones. It records the instances.
func placing(made *[]string, gpus ...int) (*model.Loader, *fake.Backend) {
	b := &fake.Backend{Holds: 10}
	for _, id := range gpus {
		b.GPUs = append(b.GPUs, gpu(id, 100))
	}
	b.OnInstance = func(spec backend.InstanceSpec) error {
		*made = append(*made, fmt.Sprintf("%s %v %d", spec.Name, spec.Kind, spec.Device))
		return nil
	}
	return &model.Loader{
		Backends: map[string]backend.Backend{fake.Name: b}, Log: slog.New(slog.DiscardHandler), LeastCapability: 6,
		Machine: func(bool) placement.Machine {
			return placement.Machine{GPUs: []placement.GPU{{ID: 0, Total: 100, Used: 40}, {ID: 1, Total: 100, Used: 90}}}
		},
	}, b
}

// Instances run on the devices that the config asks for, with Triton's names, and report the memory that they hold there.
// What is not there is replaced, and the plan says so.
func TestInstancesOnDevices(t *testing.T) {
	for _, c := range []struct {
		gpus               string
		usable             []int
		made, memory, note string
	}{
		{"1", []int{0, 1}, "[m_0_0 KIND_GPU 1 m_0_1 KIND_GPU 1 m_1_0 KIND_CPU 0]", "[{CPU 10} {GPU 1 20}]", ""},
		{"0, 1", []int{0, 1}, "[m_0_0 KIND_GPU 0 m_0_0 KIND_GPU 1 m_0_1 KIND_GPU 0 m_0_1 KIND_GPU 1 m_1_0 KIND_CPU 0]", "[{CPU 10} {GPU 0 20} {GPU 1 20}]", ""},
		{"0, 7", []int{0, 1}, "[m_0_0 KIND_GPU 0 m_0_1 KIND_GPU 0 m_1_0 KIND_CPU 0]", "[{CPU 10} {GPU 0 20}]", "asks for GPU 0, GPU 7, runs on GPU 0 here"},
		{"0", nil, "[m_0_0 KIND_CPU 0 m_0_1 KIND_CPU 0 m_1_0 KIND_CPU 0]", "[{CPU 30}]", "asks for GPU 0, runs on CPU here"},
	} {
		var made []string
		l, b := placing(&made, c.usable...)
		var devices []backend.Device
		b.OnLoad = func(_ context.Context, spec backend.Spec) error { devices = spec.Devices; return nil }
		v, err := loadWith(t, l, fmt.Sprintf(onGPUs, c.gpus))
		if err != nil {
			t.Errorf("gpus %s: %v", c.gpus, err)
			continue
		}
		if got := fmt.Sprint(made); got != c.made {
			t.Errorf("gpus %s: made %s, want %s", c.gpus, got, c.made)
		}
		if got := fmt.Sprint(v.Memory()); got != c.memory {
			t.Errorf("gpus %s: they hold %s, want %s", c.gpus, got, c.memory)
		}
		if got := fmt.Sprint(devices); got != fmt.Sprint(v.Placement().Devices()) {
			t.Errorf("gpus %s: the backend heard of %s", c.gpus, got)
		}
		badge := ""
		for _, n := range v.Placement().Notes {
			badge += n.Badge()
		}
		if badge != c.note {
			t.Errorf("gpus %s: note %q, want %q", c.gpus, badge, c.note)
		}
		if err := v.Infer(t.Context(), item("a"), func(*infer.Response) error { return nil }); err != nil {
			t.Error(err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The log tells where instances run once they do. Of a load that fails, the log says nothing of where the model runs.
func TestPlaceIsToldOfWhatLoads(t *testing.T) {
	const runs = "asks for KIND_GPU and runs on the CPU here"
	for config, want := range map[string]struct{ fails, told string }{
		"instance_group [{ kind: KIND_GPU }]":                               {"", runs},
		"instance_group [{ gpus: [-1] }]":                                   {"has kind KIND_CPU but specifies one or more GPUs", ""},
		"instance_group [{ kind: KIND_GPU gpus: [-1] }]":                    {"gpu id -1. GPUs with at least the minimum required CUDA compute compatibility of 6.000000 are: ", ""},
		"instance_group [{ kind: KIND_GPU }] " + warmup(""):                 {"to have input_data_type set", ""},
		"instance_group [{ kind: KIND_GPU }] parameters { key: \"fails\" }": {"no such model", ""},
	} {
		var made []string
		var log bytes.Buffer
		l, b := placing(&made)
		l.Machine = nil
		l.Log = slog.New(slog.NewTextHandler(&log, nil))
		b.OnLoad = func(_ context.Context, spec backend.Spec) error {
			if spec.Config.Parameters["fails"] != nil {
				return errors.New("no such model")
			}
			return nil
		}
		v, err := loadWith(t, l, fakeModel+config)
		if (err != nil) != (want.fails != "") || err != nil && !strings.Contains(err.Error(), want.fails) {
			t.Errorf("%s: %v", config, err)
		}
		if said := log.String(); strings.Contains(said, runs) != (want.told != "") {
			t.Errorf("%s: the log says %s", config, said)
		}
		if err == nil {
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// --strict-gpu refuses what Triton refuses, in its words, and makes nothing.
func TestStrictGPU(t *testing.T) {
	for gpus, want := range map[string]struct{ triton, asked string }{
		"kind: KIND_GPU": {"instance group m_0 of model m has kind KIND_GPU but no GPUs are available", "KIND_GPU"},
		"gpus: [0]":      {"instance group m_0 of model m has kind KIND_CPU but specifies one or more GPUs", "GPU 0"},
	} {
		var made []string
		l, _ := placing(&made)
		l.Machine = nil
		l.StrictGPU.Store(true)
		_, err := loadWith(t, l, fakeModel+"instance_group [{ "+gpus+" }]")
		if fmt.Sprint(err) != want.triton || len(made) > 0 {
			t.Errorf("%s: %v after %v", gpus, err, made)
		}
		var strict *placement.Strict
		if !errors.As(err, &strict) || !strings.HasPrefix(strict.Note.Text(), "instance group m_0 asks for "+want.asked+" and runs on the CPU here, because this machine has no NVIDIA GPU") {
			t.Errorf("%s: without --strict-gpu %v", gpus, strict)
		}
		l.StrictGPU.Store(false)
		v, err := loadWith(t, l, fakeModel+"instance_group [{ "+gpus+" }]")
		if err != nil || fmt.Sprint(made) != "[m_0_0 KIND_CPU 0]" || len(v.Placement().Notes) != 1 {
			t.Errorf("%s, not strict: %v, %v", gpus, made, err)
			continue
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A model that Triton would run on the GPUs of this machine is not refused by --strict-gpu because a backend here cannot use them.
func TestStrictGPUBesideAGPU(t *testing.T) {
	for _, group := range []string{"kind: KIND_GPU", "gpus: [0]", "kind: KIND_GPU gpus: [1, 0]"} {
		var made []string
		l, _ := placing(&made)
		l.StrictGPU.Store(true)
		v, err := loadWith(t, l, fakeModel+"instance_group [{ "+group+" }]")
		if err != nil || fmt.Sprint(made) != "[m_0_0 KIND_CPU 0]" || len(v.Placement().Notes) != 1 || v.Placement().Notes[0].Unused == "" {
			t.Errorf("%s: %v, %v", group, made, err)
			continue
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Why a backend cannot use the GPUs that are here is a part of the note, in the backend's words.
func TestWhyGPUsAreNotUsed(t *testing.T) {
	var made []string
	l, b := placing(&made)
	b.NoGPU = "CUDA finds none (no libcuda)"
	v, err := loadWith(t, l, fakeModel+"instance_group [{ kind: KIND_GPU }]")
	if err != nil {
		t.Fatal(err)
	}
	const want = "GPU 0, GPU 1 are here, but fake cannot use them: CUDA finds none (no libcuda); Triton would run on them"
	if notes := v.Placement().Notes; len(notes) != 1 || notes[0].Unused != want {
		t.Errorf("%v", notes)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// Where a model would run is what placement decides for a load, and makes nothing.
func TestPlace(t *testing.T) {
	for _, c := range []struct {
		backend, groups string
		gpus            []int
		want            string
	}{
		{backends.Python, "", []int{0, 1}, "[GPU 0 GPU 1] <nil>"},
		{backends.Python, "", nil, "[CPU] <nil>"},
		{backends.PyTorch, "", []int{0}, "[CPU] <nil>"},
		{backends.Python, "instance_group [{ gpus: [1] }, { kind: KIND_CPU }]", []int{0, 1}, "[GPU 1 CPU] <nil>"},
		{backends.Python, "instance_group [{ kind: KIND_GPU gpus: [7] }]", []int{0, 1}, "[GPU 0] <nil>"},
		{backends.Python, "instance_group [{ kind: KIND_MODEL }]", []int{0, 1}, "[CPU GPU 0 GPU 1] <nil>"},
		{backends.Python, "instance_group [{ kind: KIND_CPU gpus: [0] }]", []int{0}, "[] instance group m_0 of model m has kind KIND_CPU but specifies one or more GPUs"},
		{backends.TensorRT, "", []int{0}, "[GPU 0] <nil>"},
		{backends.TensorRT, "", nil, "[] it has none; the model needs an NVIDIA GPU and TensorRT, and does not run on the CPU in their place"},
		{backends.TensorRT, "instance_group [{ kind: KIND_CPU }]", []int{0}, "[] the config puts no instance on a GPU; the model needs an NVIDIA GPU and TensorRT, and does not run on the CPU in their place"},
		{"nobody", "", nil, "[] unable to find backend library for backend 'nobody'"},
	} {
		var made []string
		l, b := placing(&made, c.gpus...)
		b.As = c.backend
		l.Backends = map[string]backend.Backend{}
		if c.backend != "nobody" {
			l.Backends[c.backend] = b
		}
		config := strings.Replace(fakeModel, `"fake"`, `"`+c.backend+`"`, 1) + c.groups
		p, err := l.Define(folder(t, config, nil))
		if err != nil {
			t.Errorf("%s %s: %v", c.backend, c.groups, err)
			continue
		}
		devices, err := l.Place(p)
		if err != nil {
			devices = nil
		}
		if got := fmt.Sprint(devices, err); !strings.HasPrefix(got, c.want) || len(made) > 0 {
			t.Errorf("%s %s: %s, want %s", c.backend, c.groups, got, c.want)
		}
	}
}

// foreseeing is a backend that knows why its models do not load.
type foreseeing struct{ *fake.Backend }

func (foreseeing) Foresee(cfg *modelconfig.ModelConfig, on []backend.Device) error {
	return fmt.Errorf("%s finds no adapter on %v", cfg.Name, on)
}

// A model of which its backend knows that it does not load would run nowhere.
func TestPlaceOfAModelThatWouldNotLoad(t *testing.T) {
	var made []string
	l, b := placing(&made)
	l.Backends[fake.Name] = foreseeing{b}
	p, err := l.Define(folder(t, fakeModel, nil))
	if err != nil {
		t.Fatal(err)
	}
	if devices, err := l.Place(p); devices != nil || fmt.Sprint(err) != "m finds no adapter on [CPU]" {
		t.Errorf("%v, %v", devices, err)
	}
}

// adapting is a backend that runs models on another maker's GPU in place of the processor.
type adapting struct{ *fake.Backend }

func (adapting) Adapter(*modelconfig.ModelConfig) string { return "WebGPU" }

// A model is not said to find its room on the processor where its backend puts another maker's GPU in its place.
func TestPlaceOnAnotherMakersGPU(t *testing.T) {
	var made []string
	l, b := placing(&made)
	l.Backends[fake.Name] = adapting{b}
	p, err := l.Define(folder(t, fakeModel+"instance_group [{ kind: KIND_GPU }]", nil))
	if err != nil {
		t.Fatal(err)
	}
	if names, err := l.Place(p); fmt.Sprint(names, err) != "[WebGPU] <nil>" {
		t.Errorf("%v, %v", names, err)
	}
}

// asked is a backend that a test must not ask for GPUs.
type asked struct {
	*fake.Backend
	times int
}

func (a *asked) Devices() ([]backend.Memory, string) { a.times++; return a.Backend.Devices() }

// While the driver does not answer, nothing is placed on a GPU, and no backend asks the driver: it would hang with it.
func TestDriverInTrouble(t *testing.T) {
	var made []string
	l, b := placing(&made, 0, 1)
	of := &asked{Backend: b}
	l.Backends[fake.Name] = of
	l.Machine = func(bool) placement.Machine { return placement.Machine{Trouble: "The GPU driver does not answer."} }
	v, err := loadWith(t, l, fakeModel+"instance_group [{ kind: KIND_GPU }]")
	if err != nil || of.times != 0 || fmt.Sprint(made) != "[m_0_0 KIND_CPU 0]" || len(v.Placement().Notes) != 1 {
		t.Fatalf("%v, asked %d times, made %v", err, of.times, made)
	}
	if why := v.Placement().Notes[0].Why; why != "no GPU can be used on this machine (The GPU driver does not answer)" {
		t.Error(why)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// An instance that brings a GPU above its limit is closed again, and the load fails.
func TestGPULimit(t *testing.T) {
	for limit, want := range map[string]string{
		"1:0.95": "<nil>", "0:0.1": "<nil>",
		"1:0.8": "can not create model 'm_0_0': memory limit set for GPU 1 has exceeded, model loading is rejected.",
	} {
		var made []string
		l, b := placing(&made, 0, 1)
		var err error
		if l.GPULimits, err = placement.ParseLimits([]string{limit}); err != nil {
			t.Fatal(err)
		}
		v, err := loadWith(t, l, fmt.Sprintf(onGPUs, "1"))
		if fmt.Sprint(err) != want {
			t.Errorf("%s: %v", limit, err)
		}
		if err == nil {
			err = v.Close()
		} else if err = nil; len(made) != 1 {
			t.Errorf("%s: made %v", limit, made)
		}
		if err != nil || b.Instances.Load() != 0 || b.Models.Load() != 0 {
			t.Errorf("%s: %v, %d instances are left", limit, err, b.Instances.Load())
		}
	}
}

// Backends that run on GPUs and on the CPU take a GPU where the config leaves it open. No other backend is asked for GPUs.
func TestAutoOnGPUs(t *testing.T) {
	for name, want := range map[string]string{
		backends.Python: "[m_0 KIND_GPU 0 m_0 KIND_GPU 1]", backends.PyTorch: "[m_0 KIND_CPU 0]", backends.OpenVINO: "[m_0 KIND_CPU 0]",
	} {
		var made []string
		l, b := placing(&made, 0, 1)
		b.As = name
		l.Backends = map[string]backend.Backend{name: b}
		v, err := loadWith(t, l, strings.Replace(fakeModel, `"fake"`, `"`+name+`"`, 1))
		if err != nil || fmt.Sprint(made) != want {
			t.Errorf("%s: %v, %v, want %s", name, made, err, want)
			continue
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Nobody needs to know how much memory of a GPU is free.
func TestFreeMemoryThatIsNotKnown(t *testing.T) {
	b := &estimating{fake.Backend{GPUs: []backend.Memory{gpu(0, 0)}}, []backend.Memory{gpu(0, 1<<40)}}
	v, err := load(b, folder(t, fmt.Sprintf(onGPUs, "0"), nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
}

// estimating is a backend that knows the memory of a load before it begins.
type estimating struct {
	fake.Backend
	takes []backend.Memory
}

func (e *estimating) Estimate(backend.Spec) []backend.Memory { return e.takes }

// A load that needs more memory of a device than is free is refused before it begins.
func TestLoadThatDoesNotFitOnADevice(t *testing.T) {
	for takes, want := range map[backend.Memory]string{
		{Bytes: 2 << 20}: "model 'm' does not fit into the memory of the CPU: it takes 2.0 MiB, and 1.0 MiB are free. ",
		gpu(0, 2<<20):    "model 'm' does not fit into the memory of the GPU 0: it takes 2.0 MiB, and 1.0 MiB are free. ",
		{Bytes: 1 << 20}: "", gpu(0, 1<<20): "",
	} {
		b := &estimating{takes: []backend.Memory{takes}}
		b.GPUs = []backend.Memory{gpu(0, 1<<20)}
		v, err := loadWith(t, &model.Loader{
			Backends: map[string]backend.Backend{fake.Name: b}, Log: slog.New(slog.DiscardHandler),
			Room: &model.Room{Free: func() (int64, bool) { return 1 << 20, true }},
		}, batched)
		if err == nil {
			err = v.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) || want != "" && b.Loads.Load() != 0 {
			t.Errorf("%v: %v after %d loads", takes, err, b.Loads.Load())
		}
	}
}

// What a request of a decoupled model did on a GPU counts there, however its answers come.
func TestAnswersCountOnTheirGPU(t *testing.T) {
	large := infer.TooLarge(infer.Errorf(infer.Unavailable, "too large"))
	for name, c := range map[string]struct {
		execute func(b *backend.Batch)
		takes   error
	}{
		"in the execution":              {func(b *backend.Batch) { b.Respond(0, &infer.Response{Final: true}) }, nil},
		"by a responder":                {func(b *backend.Batch) { _ = b.Later(0).Send(&infer.Response{Final: true}) }, nil},
		"too large":                     {func(b *backend.Batch) { b.Respond(0, &infer.Response{}); b.Respond(0, &infer.Response{Final: true}) }, large},
		"too large, and by a responder": {func(b *backend.Batch) { _ = b.Later(0).Send(&infer.Response{}) }, large},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var made []string
				l, b := placing(&made, 1)
				l.GPULabel = func(gpu int) string { return fmt.Sprint("GPU-", gpu) }
				b.OnExecute = func(_ context.Context, _ backend.Spec, batch *backend.Batch) {
					c.execute(batch)
					time.Sleep(time.Second) // the request has ended meanwhile, where a responder has answered it
				}
				v, err := loadWith(t, l, fakeModel+decoupled+"max_batch_size: 4 instance_group [{ kind: KIND_GPU gpus: [1] }]")
				if err != nil {
					t.Fatal(err)
				}
				if err := <-send(t.Context(), t, v, func(*infer.Response) error { return c.takes }); !errors.Is(err, c.takes) {
					t.Errorf("ended with %v", err)
				}
				if err := v.Close(); err != nil {
					t.Error(err)
				}
				s := v.Counters().Split()
				if there := s.On["GPU-1"]; there.Success != 1 || there.Executions != 1 || s.Rest.Success != 0 {
					t.Errorf("%d successes and %d executions on the GPU, %d successes elsewhere", there.Success, there.Executions, s.Rest.Success)
				}
			})
		})
	}
}
