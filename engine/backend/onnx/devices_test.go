package onnx_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/ort"
)

// The machine's GPUs count where the library has a provider for them.
func TestDevices(t *testing.T) {
	library := onnxtest.Library(t)
	always := &device{info: onnx.AcceleratorInfo{Name: "cuda", Provider: onCPU, GPU: true, Always: true}}
	broken := &device{info: always.info, err: errors.New("libcudart.so.12 is missing")}
	full := &device{info: always.info, err: &ort.Error{Message: "CUDA failure 2: out of memory ; GPU=1"}}
	taken := &device{info: always.info, err: &ort.Error{Message: "CUDA failure 46: all CUDA-capable devices are busy or unavailable ; GPU=1"}}
	asked := &device{info: onnx.AcceleratorInfo{Name: "tensorrt", Provider: onCPU, GPU: true}}
	gpus := []backend.Memory{{Device: backend.Device{GPU: true, ID: 1}, Bytes: 5}}
	for name, c := range map[string]struct {
		of   onnx.Options
		want int
		says string // in the log
		why  string // to people
	}{
		"no machine":  {onnx.Options{}, 0, "", "no GPU of NVIDIA is known"},
		"no GPU":      {onnx.Options{GPUs: func() []backend.Memory { return nil }}, 0, "", "no GPU of NVIDIA is known"},
		"no provider": {onnx.Options{Library: library, GPUs: func() []backend.Memory { return gpus }}, 0, " has no provider for GPUs", "this build of ONNX Runtime has no CUDA"},
		"no library":  {onnx.Options{Library: "/nowhere", GPUs: func() []backend.Memory { return gpus }}, 0, "/nowhere", "/nowhere"},
		"a provider":  {onnx.Options{Library: library, GPUs: func() []backend.Memory { return gpus }, Accelerators: []onnx.Accelerator{always}}, 1, "", ""},
		"one that fails": {onnx.Options{Library: library, GPUs: func() []backend.Memory { return gpus }, Accelerators: []onnx.Accelerator{broken}}, 0,
			" starts no provider for GPUs: " + onCPU + ": libcudart.so.12 is missing", "CPU does not start: libcudart.so.12 is missing"},
		"one on a full GPU":                     {onnx.Options{Library: library, GPUs: func() []backend.Memory { return gpus }, Accelerators: []onnx.Accelerator{full}}, 1, "", ""},
		"one on a GPU that another program has": {onnx.Options{Library: library, GPUs: func() []backend.Memory { return gpus }, Accelerators: []onnx.Accelerator{taken}}, 1, "", ""},
		"one that must be asked": {onnx.Options{Library: library, GPUs: func() []backend.Memory { return gpus }, Accelerators: []onnx.Accelerator{asked}}, 0,
			" has no provider for GPUs", "this build of ONNX Runtime has no CUDA"},
	} {
		var log strings.Builder
		c.of.Log = slog.New(slog.NewTextHandler(&log, nil))
		got, why := onnx.New(c.of).Devices()
		if len(got) != c.want || (c.says == "") != (log.Len() == 0) || !strings.Contains(log.String(), c.says) {
			t.Errorf("%s: %v, want %d; the log says %s", name, got, c.want, log.String())
		}
		if !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: %v, because %q", name, got, why)
		}
	}
}

// The session of a load is made where the first instance will run, whatever the config asks for.
func TestLoadOnTheFirstDevice(t *testing.T) {
	for name, c := range map[string]struct {
		devices []backend.Device
		gpus    []int
	}{
		"a GPU": {[]backend.Device{{GPU: true, ID: 3}, {}}, []int{3}}, "KIND_GPU on the CPU": {[]backend.Device{{}}, nil}, "not told": {nil, nil},
	} {
		d := &device{info: onnx.AcceleratorInfo{Name: "cuda", Provider: onCPU, GPU: true, Always: true}}
		spec := specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(func(c *modelconfig.ModelConfig) {
			c.InstanceGroup = []*modelconfig.ModelInstanceGroup{{Name: "m_0", Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Count: 1}}
		}))
		spec.Devices = c.devices
		model, err := accelerated(t, d).Load(context.Background(), spec)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var gpus []int
		for _, use := range d.used {
			gpus = append(gpus, use.Device)
		}
		if !slices.Equal(gpus, c.gpus) {
			t.Errorf("%s: sessions on GPUs %v, want %v", name, gpus, c.gpus)
		}
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	}
}
