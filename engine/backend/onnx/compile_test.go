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

// compiler is an accelerator that writes what it makes into its folder, and refuses what is damaged there.
func compiler(t *testing.T, dir string) (*onnx.Backend, *device) {
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
		Accelerators: []onnx.Accelerator{d, gpuOnCPU()}})
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
	b, d := compiler(t, dir)
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

// A folder that cannot be made is no reason to fail.
func TestCompiledModelsThatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "compiled"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b, d := compiler(t, dir)
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
