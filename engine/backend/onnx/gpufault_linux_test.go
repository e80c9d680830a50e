package onnx_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// gpuOnCPU stands for CUDA's accelerator, which each instance on a GPU gets.
func gpuOnCPU() *device {
	return &device{info: onnx.AcceleratorInfo{Name: "cuda", Provider: onCPU, GPU: true, Always: true}}
}

// twiceOnGPU is a model on GPUs with the operator of a library.
func twiceOnGPU(t *testing.T, library string) backend.Spec {
	spec := specOf(t, onnxtest.Model{
		Inputs:  []onnxtest.Value{{Name: "X", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
		Outputs: []onnxtest.Value{{Name: "Y", Type: onnxtest.Float, Dims: onnxtest.Dims(2)}},
		Nodes:   []onnxtest.Node{{Op: "Twice", Domain: "conch.test", Inputs: []string{"X"}, Outputs: []string{"Y"}}},
		Domains: []string{"conch.test"},
	}.Bytes(), &modelconfig.ModelConfig{ModelOperations: &modelconfig.ModelOperations{OpLibraryFilename: []string{library}}})
	spec.Devices = []backend.Device{{GPU: true}, {GPU: true, ID: 1}}
	return spec
}

// failing runs a model on GPU 0 whose operator fails with a text of ONNX Runtime's. It returns which GPUs were lost, and the answer's error.
func failing(t *testing.T, text string) (lost string, failed error) {
	t.Helper()
	library := operators(t, "testdata/twice.c", "-DFAILS="+fmt.Sprintf("%q", text))
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler), Accelerators: []onnx.Accelerator{gpuOnCPU()},
		Lost: func(device int, why string) { lost += fmt.Sprintf("GPU %d: %s", device, why) }})
	t.Cleanup(func() { b.Close() })
	model, err := b.Load(t.Context(), twiceOnGPU(t, library))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	instance, err := model.NewInstance(context.Background(), gpuInstance(0))
	if err != nil {
		t.Fatal(err)
	}
	defer instance.Close()
	for range 2 { // the instance is well after a failure
		failed = execute(t, instance, request(0, floats("X", tensor.Shape{2}, 3, 4)))
	}
	return lost, failed
}

func execute(t *testing.T, instance backend.Instance, r *infer.Request) (failed error) {
	t.Helper()
	instance.Execute(t.Context(), backend.NewBatch([]*infer.Request{r}, func(int, *infer.Response) {}, func(_ int, err error) { failed = err }))
	return failed
}

// What ONNX Runtime says when a GPU has no memory left fails the request and tells what helps.
func TestFullGPU(t *testing.T) {
	for _, text := range []string{
		"CUDA failure 2: out of memory ; GPU=0 ; hostname=h ; file=f ; line=1 ; expr=cudaMalloc((void**)&p, size);",
		"CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; GPU=0 ; hostname=h ; file=f ; line=1 ; expr=cublasCreate(&h);",
		"CUDNN failure 4004: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ; GPU=0 ; hostname=h ; file=f ; line=1 ; expr=cudnnCreate(&h);",
		"/onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 Failed to allocate memory for requested buffer of size 4294967296",
		"Available memory of 5 is smaller than requested bytes of 16",
	} {
		lost, failed := failing(t, text)
		if infer.CodeOf(failed) != infer.Unavailable || lost != "" || !strings.Contains(failed.Error(), text) ||
			!strings.HasSuffix(failed.Error(), "the memory of GPU 0 is full: unload other models, use fewer instances or smaller batches, or set gpu_mem_limit") {
			t.Errorf("%v %v, lost %q", infer.CodeOf(failed), failed, lost)
		}
	}
}

// A GPU that another program has for itself (compute mode) is not lost: the request fails with what helps, and the engine goes on.
func TestTakenGPU(t *testing.T) {
	lost, failed := failing(t, "CUDA failure 46: all CUDA-capable devices are busy or unavailable ; GPU=0 ; hostname=h")
	if infer.CodeOf(failed) != infer.Unavailable || lost != "" || !strings.Contains(failed.Error(), "; another program has GPU 0 for itself, or nobody may use it") {
		t.Errorf("%v %v, lost %q", infer.CodeOf(failed), failed, lost)
	}
}

// A load for which a GPU has no room fails with what helps. What it had made is given back: it holds no session, and the same load works when
// there is room. When only a further GPU is full, the instances that are there go on, and that one can be made later.
func TestLoadOnAFullGPU(t *testing.T) {
	full := filepath.Join(t.TempDir(), "full")
	fill := func() {
		t.Helper()
		if err := os.WriteFile(full, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler), Accelerators: []onnx.Accelerator{gpuOnCPU()},
		Lost: func(device int, why string) { t.Errorf("GPU %d is called lost: %s", device, why) }})
	t.Cleanup(func() { b.Close() })
	spec := twiceOnGPU(t, operators(t, "testdata/twice.c", "-DFULL="+fmt.Sprintf("%q", full)))
	says := func(gpu int, err error) {
		t.Helper()
		if infer.CodeOf(err) != infer.Unavailable || !strings.Contains(err.Error(), "out of memory") || !strings.Contains(err.Error(), fmt.Sprintf("the memory of GPU %d is full: unload", gpu)) {
			t.Errorf("%v %v", infer.CodeOf(err), err)
		}
	}
	fill()
	_, err := b.Load(t.Context(), spec)
	says(0, err)
	if made := onnx.OpenModels(b); made != 0 {
		t.Errorf("%d models are open after a load that failed", made)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	model, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	first, err := model.NewInstance(t.Context(), gpuInstance(0))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	fill()
	_, err = model.NewInstance(t.Context(), gpuInstance(1))
	says(1, err)
	if made := onnx.OpenSessions(model); made != 1 {
		t.Errorf("%d sessions are open", made)
	}
	if err := execute(t, first, request(0, floats("X", tensor.Shape{2}, 3, 4))); err != nil {
		t.Errorf("the instance on the other GPU: %v", err)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	second, err := model.NewInstance(t.Context(), gpuInstance(1))
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := execute(t, second, request(0, floats("X", tensor.Shape{2}, 3, 4))); err != nil {
		t.Error(err)
	}
}

// An error after which CUDA does nothing more in this process is told to the backend's owner. Any other one is the request's alone.
func TestLostGPU(t *testing.T) {
	for text, want := range map[string]bool{
		"CUDA failure 700: an illegal memory access was encountered ; GPU=0 ; hostname=h":     true,
		"CUDA failure 719: unspecified launch failure ; GPU=0":                                true,
		"CUDA failure 226: Invalid access of peer GPU memory over nvlink or a hardware error": true,
		"CUDA failure 721: tensor memory not completely freed ; GPU=0":                        true,
		"CUDA failure 1: invalid argument ; GPU=0":                                            false,
		"CUDNN failure 4: CUDNN_STATUS_EXECUTION_FAILED":                                      false,
		"the shape [700] does not fit":                                                        false,
	} {
		lost, failed := failing(t, text)
		if infer.CodeOf(failed) != infer.Internal || (lost != "") != want || want && !strings.Contains(lost, "GPU 0: ") {
			t.Errorf("%v %v, lost %q", infer.CodeOf(failed), failed, lost)
		}
	}
}
