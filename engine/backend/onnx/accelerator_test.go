package onnx_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// device stands for an accelerator that somebody adds: it runs on the CPU, and remembers what it was asked for.
type device struct {
	info onnx.AcceleratorInfo
	used []onnx.AcceleratorUse
	err  error
	// append is called in place of err.
	append func(onnx.AcceleratorUse) error
}

func (d *device) Describe() onnx.AcceleratorInfo { return d.info }

func (d *device) Append(_ *ort.Options, use onnx.AcceleratorUse) error {
	d.used = append(d.used, use)
	if d.append != nil {
		return d.append(use)
	}
	return d.err
}

func accelerated(t *testing.T, list ...onnx.Accelerator) *onnx.Backend {
	t.Helper()
	b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler), Accelerators: list})
	t.Cleanup(func() { b.Close() })
	return b
}

const onCPU = "CPUExecutionProvider" // what every library has

func TestAnAcceleratorPlugsIn(t *testing.T) {
	d := &device{info: onnx.AcceleratorInfo{Name: "quick", Provider: onCPU}}
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(func(c *modelconfig.ModelConfig) {
		accelerator("quick")(c)
		c.Optimization.ExecutionAccelerators.CpuExecutionAccelerator[0].Parameters = map[string]string{"speed": "high"}
		parameter("intra_op_thread_count", "1")(c)
	}))
	model, err := accelerated(t, d).Load(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	want := []onnx.AcceleratorUse{{Name: "m", Parameters: map[string]string{"speed": "high"}, Model: map[string]string{"intra_op_thread_count": "1"}}}
	if !reflect.DeepEqual(d.used, want) {
		t.Errorf("asked for %+v", d.used)
	}
}

// That an accelerator is unknown, or not in the library, is known without a load: the latter once the library is open for another model.
func TestForeseenAccelerators(t *testing.T) {
	b := accelerated(t, &device{info: onnx.AcceleratorInfo{Name: "odd", Provider: "OddExecutionProvider"}})
	processor := []backend.Device{{}}
	odd, unknown := addSubConfig(accelerator("odd")), addSubConfig(accelerator("nobody"))
	if err := b.Foresee(odd, processor); err != nil {
		t.Errorf("before the library is open: %v", err)
	}
	if err := b.Foresee(unknown, processor); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an unknown one: %v", err)
	}
	model, err := b.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	_, want := b.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), odd))
	if err := b.Foresee(odd, processor); err == nil || want == nil || err.Error() != want.Error() {
		t.Errorf("foreseen is %v, and a load says %v", err, want)
	}
	if err := b.Foresee(&modelconfig.ModelConfig{}, processor); err != nil {
		t.Errorf("without one: %v", err)
	}
}

// What runs a model in place of the processor is known from its config, and from the settings where that names none.
func TestAdapters(t *testing.T) {
	for _, c := range []struct{ setting, config, want string }{
		{"", "", ""}, {"", "webgpu", "WebGPU"}, {"", "coreml", "CoreML"}, {"", "directml", "DirectML"}, {"", "xnnpack", ""}, {"", "openvino", ""}, {"", "nobody", ""},
		{"webgpu", "", "WebGPU"}, {"webgpu", "xnnpack", ""},
	} {
		b := onnx.New(onnx.Options{Settings: onnx.Settings{Accelerator: c.setting}})
		cfg := &modelconfig.ModelConfig{Name: "m"}
		if c.config != "" {
			cfg = addSubConfig(accelerator(c.config))
		}
		if got := b.Adapter(cfg); got != c.want {
			t.Errorf("setting %q, config %q: %q", c.setting, c.config, got)
		}
	}
}

// Where the settings choose for all models, no config is named as the way out: the choice is.
func TestWayOutOfTheSettings(t *testing.T) {
	const way = "choose what ONNX models run by: under Devices… in the workbench, with --backend-config=onnxruntime,accelerator=NAME of `conch serve`"
	for name, c := range map[string]struct {
		setting string
		config  *modelconfig.ModelConfig
		want    string
	}{
		"the library lacks it, all":       {"xnnpack", nil, way},
		"the library lacks it, one":       {"", addSubConfig(accelerator("xnnpack")), "take the accelerator out of the config"},
		"one that does not exist, all":    {"nobody", nil, "unknown Execution Accelerator 'nobody' is requested: " + way},
		"one that does not exist, config": {"", addSubConfig(accelerator("nobody")), "unknown Execution Accelerator 'nobody' is requested"},
	} {
		b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Settings: onnx.Settings{Accelerator: c.setting}})
		_, err := b.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), c.config))
		if err == nil || !strings.Contains(err.Error(), c.want) || (c.setting == "") == strings.Contains(err.Error(), way) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Instances of one GPU share a session; another GPU and the CPU have their own.
func TestASessionForEachPlace(t *testing.T) {
	d := &device{info: onnx.AcceleratorInfo{Name: "cuda", Provider: onCPU, GPU: true, Always: true}}
	model, err := accelerated(t, d).Load(context.Background(), specOf(t, onnxtest.AddSub(16).Bytes(), nil))
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	for _, spec := range []backend.InstanceSpec{
		cpuInstance, cpuInstance, gpuInstance(0), gpuInstance(1), gpuInstance(0),
	} {
		instance, err := model.NewInstance(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		defer instance.Close()
		one(t, instance, addSubRequest(0, 16))
	}
	if len(d.used) != 2 || d.used[0].Device != 0 || d.used[1].Device != 1 {
		t.Errorf("sessions on GPUs: %+v", d.used)
	}
}

func gpuInstance(device int) backend.InstanceSpec {
	return backend.InstanceSpec{Name: "m_0_0", Kind: modelconfig.ModelInstanceGroup_KIND_GPU, Device: device}
}

func TestAcceleratorsThatAreNotThere(t *testing.T) {
	for name, c := range map[string]struct {
		add  onnx.Accelerator
		asks string
		code infer.Code
		want []string
	}{
		"not in the library": {nil, "openvino", infer.Unsupported, []string{"model 'm' needs the Execution Accelerator 'openvino'",
			"it has: ", "CPU", "Choose a build with OpenVINO, or", "ONNX Runtime… in the menu of the engine, or `conch runtime list`, shows"}},
		"it does not start": {&device{info: onnx.AcceleratorInfo{Name: "quick", Provider: onCPU}, err: errors.New("no such device")},
			"quick", infer.Internal, []string{"Execution Accelerator 'quick': no such device"}},
		"a wrong parameter": {&device{info: onnx.AcceleratorInfo{Name: "quick", Provider: onCPU}, err: infer.Errorf(infer.InvalidArg, "no")},
			"quick", infer.InvalidArg, []string{"no"}},
	} {
		t.Run(name, func(t *testing.T) {
			var list []onnx.Accelerator
			if c.add != nil {
				list = append(list, c.add)
			}
			_, err := accelerated(t, list...).Load(context.Background(), specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(accelerator(c.asks))))
			if infer.CodeOf(err) != c.code {
				t.Errorf("got %v: %v", infer.CodeOf(err), err)
			}
			for _, part := range c.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("%v does not say %q", err, part)
				}
			}
		})
	}
}

// An instance on a GPU that cannot be had fails, and leaves the others alone.
func TestInstanceOnAMissingGPU(t *testing.T) {
	model := loadSpec(t, specOf(t, onnxtest.AddSub(16).Bytes(), nil))
	if instance, err := model.NewInstance(context.Background(), gpuInstance(99)); err == nil {
		instance.Close()
		t.Fatal("GPU 99 was had")
	}
	one(t, instanceOf(t, model), addSubRequest(0, 16))
}
