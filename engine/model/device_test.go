package model_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/infer"
	"conch/engine/model"
)

func gpu(id int, free uint64) backend.Memory {
	return backend.Memory{Device: backend.Device{GPU: true, ID: id}, Bytes: free}
}

const onGPUs = fakeModel + "max_batch_size: 4 instance_group [{ count: 2 kind: KIND_GPU gpus: [%s] }, { kind: KIND_CPU }]"

// Instances run on the devices that the config asks for and the backend has, and report the memory that they hold there.
func TestInstancesOnDevices(t *testing.T) {
	for gpus, want := range map[string]string{
		"1":    "[{CPU 10} {GPU 1 20}]",
		"0, 1": "[{CPU 10} {GPU 0 20} {GPU 1 20}]",
		"0, 7": "instance group m_0 of model m specifies invalid or unsupported gpu id 7. Backend fake can use: GPU 0, GPU 1",
	} {
		b := &fake.Backend{GPUs: []backend.Memory{gpu(0, 100), gpu(1, 100)}, Holds: 10}
		v, err := load(b, folder(t, fmt.Sprintf(onGPUs, gpus), nil))
		if err != nil {
			if err.Error() != want {
				t.Errorf("gpus %s: %v", gpus, err)
			}
			continue
		}
		if got := fmt.Sprint(v.Memory()); got != want {
			t.Errorf("gpus %s: they hold %s, want %s", gpus, got, want)
		}
		if err := v.Infer(t.Context(), item("a"), func(*infer.Response) error { return nil }); err != nil {
			t.Error(err)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := load(&fake.Backend{}, folder(t, fmt.Sprintf(onGPUs, "0"), nil))
	if err == nil || err.Error() != "instance group m_0 of model m has kind KIND_GPU but server does not support GPUs" {
		t.Errorf("without GPUs: %v", err)
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
		{Bytes: 2 << 20}: "model 'm' does not fit into the memory of the CPU: it takes 2.0 MB, and 1.0 MB are free. ",
		gpu(0, 2<<20):    "model 'm' does not fit into the memory of the GPU 0: it takes 2.0 MB, and 1.0 MB are free. ",
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
