package onnx_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
)

// compiler is an accelerator that writes what it makes into its folder, and refuses what is damaged there. All folders may hold so many bytes; 0 for the usual.
func compiler(t *testing.T, dir string, limit int64) (*onnx.Backend, *device) {
	t.Helper()
	d := &device{info: onnx.AcceleratorInfo{Name: "slow", Provider: onCPU, GPU: true, Compiles: true}}
	d.append = func(use onnx.AcceleratorUse) error {
		file := filepath.Join(use.Folder, "engine")
		text, err := os.ReadFile(file)
		switch {
		case err == nil && string(text) != "whole":
			return errors.New("the engine is damaged")
		case err == nil:
			return nil
		}
		return os.WriteFile(file, []byte("whole"), 0o600)
	}
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler), OptimizedDir: filepath.Join(dir, "optimized"),
		Settings: onnx.Settings{OptimizedBytes: limit}, Accelerators: []onnx.Accelerator{d, gpuOnCPU()}})
	t.Cleanup(func() { b.Close() })
	return b, d
}

func onGPU(t *testing.T, told *[]string) backend.Spec {
	t.Helper()
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(func(c *modelconfig.ModelConfig) {
		accelerator("")(c)
		c.Optimization.ExecutionAccelerators.CpuExecutionAccelerator = nil
		c.Optimization.ExecutionAccelerators.GpuExecutionAccelerator = []*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator{{Name: "slow"}}
	}))
	spec.Devices = []backend.Device{{GPU: true}}
	spec.Progress = func(text string) { *told = append(*told, text) }
	return spec
}

// What an accelerator compiled is there for the next load of the same file. People hear of the first build. A folder that is damaged is
// emptied, and another file has another folder.
func TestCompiledModelsAreKept(t *testing.T) {
	dir := t.TempDir()
	b, d := compiler(t, dir, 0)
	var told []string
	spec := onGPU(t, &told)
	loads := func(times int) {
		t.Helper()
		model, err := b.Load(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if err := model.Close(); err != nil {
			t.Error(err)
		}
		if len(told) != times {
			t.Errorf("told %q", told)
		}
	}
	loads(1)
	if want := "slow compiles the model, which may take minutes the first time (0 s)"; told[0] != want {
		t.Errorf("told %q", told)
	}
	loads(1)
	folder := d.used[0].Folder
	if d.used[1].Folder != folder || !strings.HasPrefix(folder, filepath.Join(dir, "compiled")+"/") {
		t.Errorf("folders %q and %q", folder, d.used[1].Folder)
	}
	if err := os.WriteFile(filepath.Join(folder, "engine"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	loads(2)
	if text, err := os.ReadFile(filepath.Join(folder, "engine")); err != nil || string(text) != "whole" {
		t.Errorf("%q, %v", text, err)
	}
	spec = onGPU(t, &told)
	loads(3)
	if last := d.used[len(d.used)-1].Folder; last == folder {
		t.Error("another model has the same folder")
	}
}

// A GPU that is full or lost is no fault of what was compiled: that is kept, and nothing is compiled in its place.
func TestCompiledModelsOutliveAFullGPU(t *testing.T) {
	b, d := compiler(t, t.TempDir(), 0)
	var told []string
	spec := onGPU(t, &told)
	model, err := b.Load(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := model.Close(); err != nil {
		t.Error(err)
	}
	compile, told := d.append, nil
	for _, fault := range []string{"CUDA failure 2: out of memory ; GPU=0", "CUDA failure 700: an illegal memory access was encountered ; GPU=0"} {
		d.append = func(onnx.AcceleratorUse) error { return errors.New(fault) }
		if _, err := b.Load(t.Context(), spec); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
		if text, err := os.ReadFile(filepath.Join(d.used[0].Folder, "engine")); err != nil || string(text) != "whole" {
			t.Errorf("%s: what was compiled is gone: %q, %v", fault, text, err)
		}
	}
	d.append = compile
	if model, err = b.Load(t.Context(), spec); err != nil || len(told) > 0 {
		t.Fatalf("when the GPU has room again: %v, told %q", err, told)
	}
	if err := model.Close(); err != nil {
		t.Error(err)
	}
}

// What was compiled of models that are not loaded any more goes when there is no room for more, also in the process that compiled it. A session that only
// tells a model's tensors keeps none either.
func TestCompiledModelsMakeRoom(t *testing.T) {
	b, d := compiler(t, t.TempDir(), 2*int64(len("whole")))
	var told []string
	load := func() (backend.Model, string) {
		t.Helper()
		model, err := b.Load(t.Context(), onGPU(t, &told))
		if err != nil {
			t.Fatal(err)
		}
		return model, d.used[len(d.used)-1].Folder
	}
	there := func(folder string) bool {
		_, err := os.Stat(folder)
		return err == nil
	}
	loaded, used := load()
	defer loaded.Close()
	model, gone := load()
	if err := model.Close(); err != nil {
		t.Error(err)
	}
	spec := onGPU(t, &told)
	if err := os.WriteFile(spec.File, openOutput().Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	spec.Config.Input, spec.Config.Output, spec.Config.MaxBatchSize = nil, nil, 4
	if _, err := b.Complete(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	completed := d.used[len(d.used)-1].Folder
	if completed == gone || !there(gone) {
		t.Fatalf("nothing was compiled for completion in %s", completed)
	}
	for range 2 {
		model, _ := load()
		defer model.Close()
	}
	if !there(used) || there(gone) || there(completed) {
		t.Errorf("of what is loaded, was loaded and told tensors are there: %v, %v, %v", there(used), there(gone), there(completed))
	}
}

// A folder that cannot be made is no reason to fail.
func TestCompiledModelsThatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "compiled"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, d := compiler(t, dir, 0)
	d.append = nil
	var told []string
	model, err := b.Load(t.Context(), onGPU(t, &told))
	if err != nil || d.used[0].Folder != "" || len(told) != 1 {
		t.Fatalf("%v, %+v, %q", err, d.used, told)
	}
	if err := model.Close(); err != nil {
		t.Error(err)
	}
}
