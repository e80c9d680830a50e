package onnx_test

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/infer"
	"conch/engine/tensor"
)

// chromiums is the software Vulkan that comes with Chromium.
const chromiums = "/usr/lib/chromium/vk_swiftshader_icd.json"

// softwareVulkan are drivers that run Vulkan on the processor: Chromium's, and Mesa's, which WebGPU takes from version 25 on.
var softwareVulkan = []string{chromiums, "/usr/share/vulkan/icd.d/lvp_icd.json",
	"/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"}

// webGPUChild is set in the process that tries WebGPU.
const webGPUChild = "CONCH_TEST_WEBGPU"

// TestWebGPU runs the example models by WebGPU on a software Vulkan, in a process of their own, and holds their outputs against the
// CPU's.
func TestWebGPU(t *testing.T) {
	var tried []string
	for _, driver := range softwareVulkan {
		if _, err := os.Stat(driver); err != nil {
			continue
		}
		child := exec.Command(os.Args[0], "-test.run", "^TestWebGPUChild$", "-test.v")
		child.Env = append(os.Environ(), webGPUChild+"=1", "VK_DRIVER_FILES="+driver)
		out, err := child.CombinedOutput()
		switch {
		case err != nil:
			t.Fatalf("%s: %v\n%s", driver, err, out)
		case strings.Contains(string(out), "--- SKIP") && driver != chromiums:
			tried = append(tried, driver+": "+string(out))
		case !strings.Contains(string(out), "--- PASS: TestWebGPUChild"):
			t.Fatalf("%s:\n%s", driver, out)
		default:
			return
		}
	}
	t.Skipf("LEFT OUT: no software Vulkan runs WebGPU here; `apt install chromium` brings one. Looked for %s. %s",
		strings.Join(softwareVulkan, ", "), strings.Join(tried, "\n"))
}

// Where nothing runs Vulkan, people read a sentence and what to do. ONNX Runtime's own words come after it. It is tried in a process of
// its own, which WebGPU may end.
func TestWebGPUWithoutAnAdapter(t *testing.T) {
	if os.Getenv(webGPUChild) == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestWebGPUWithoutAnAdapter$", "-test.v")
		child.Env = append(os.Environ(), webGPUChild+"=1", "VK_DRIVER_FILES="+os.DevNull)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	b := newBackend(t)
	spec := specOf(t, onnxtest.AddSub(16).Bytes(), &modelconfig.ModelConfig{Optimization: byWebGPU()})
	processor := []backend.Device{{}}
	if err := b.Foresee(spec.Config, processor); err != nil {
		t.Errorf("before anything is known: %v", err)
	}
	_, err := b.Load(t.Context(), spec)
	if err == nil {
		t.Fatal("it is loaded")
	}
	text, words, _ := strings.Cut(err.Error(), ". ONNX Runtime says: ")
	if text != "model 'm' needs the Execution Accelerator 'webgpu', which found no graphics adapter that it can use on this machine. It needs a GPU and its "+
		"graphics driver, on Linux one with Vulkan. Install the driver, or take the accelerator out of the config" || !strings.Contains(words, "Failed to get a WebGPU adapter") {
		t.Errorf("%v", err)
	}
	if err := b.Foresee(spec.Config, processor); err == nil || err.Error() != text {
		t.Errorf("before it is loaded again: %v", err)
	}
	if err := b.Foresee(&modelconfig.ModelConfig{}, processor); err != nil {
		t.Errorf("of a model without the accelerator: %v", err)
	}
}

// half is a model of two numbers of FP16, the one that the backend tries.
var half = onnxtest.Model{
	Inputs:  []onnxtest.Value{{Name: "X", Type: onnxtest.Float16, Dims: onnxtest.Dims(2)}},
	Outputs: []onnxtest.Value{{Name: "Y", Type: onnxtest.Float16, Dims: onnxtest.Dims(2)}},
	Nodes:   []onnxtest.Node{{Op: "Add", Inputs: []string{"X", "X"}, Outputs: []string{"Y"}}},
}

func TestTriedModelOfHalf(t *testing.T) {
	if onnx.HalfModel != string(half.Bytes()) {
		t.Error("the backend tries another model")
	}
}

// An adapter without FP16 refuses a model of FP16 when it is loaded, and not when its first request comes. Chromium's software Vulkan is such an adapter.
func TestWebGPUWithoutHalf(t *testing.T) {
	if _, err := os.Stat(chromiums); err != nil {
		t.Skipf("LEFT OUT: no software Vulkan of Chromium: %v", err)
	}
	if os.Getenv(webGPUChild) == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestWebGPUWithoutHalf$", "-test.v")
		child.Env = append(os.Environ(), webGPUChild+"=1", "VK_DRIVER_FILES="+chromiums)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	b := newBackend(t)
	_, err := b.Load(t.Context(), specOf(t, half.Bytes(), &modelconfig.ModelConfig{Optimization: byWebGPU()}))
	const want = "model 'm' computes in FP16, which the GPU does not do by WebGPU: take the accelerator out of the config, or take its FP32 version. ONNX Runtime says: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || infer.CodeOf(err) != infer.Unsupported {
		t.Errorf("a model of FP16: %v", err)
	}
	whole, err := b.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), &modelconfig.ModelConfig{Optimization: byWebGPU()}))
	if err != nil {
		t.Fatalf("a model without FP16: %v", err)
	}
	whole.Close()
	onCPU, err := b.Load(t.Context(), specOf(t, half.Bytes(), nil))
	if err != nil {
		t.Fatalf("a model of FP16 on the processor: %v", err)
	}
	onCPU.Close()
}

func byWebGPU() *modelconfig.ModelOptimizationPolicy {
	return &modelconfig.ModelOptimizationPolicy{
		ExecutionAccelerators: &modelconfig.ModelOptimizationPolicy_ExecutionAccelerators{
			CpuExecutionAccelerator: []*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator{{Name: "webgpu"}},
		},
	}
}

func TestWebGPUChild(t *testing.T) {
	if os.Getenv(webGPUChild) == "" {
		t.Skip("TestWebGPU runs it")
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	onGPU := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: log, Settings: onnx.ReadSettings([]string{"onnxruntime,accelerator=webgpu"})})
	t.Cleanup(func() { onGPU.Close() })
	if model, err := onGPU.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), nil)); err != nil {
		t.Skipf("WebGPU does not start: %v", err)
	} else if err := model.Close(); err != nil {
		t.Error(err)
	}
	sameAnswers(t, onGPU, newBackend(t))
}

// sameAnswers holds the outputs of the example models on a backend against those on another one, with two requests of each model side by
// side.
func sameAnswers(t *testing.T, one, other *onnx.Backend) {
	t.Helper()
	var all sync.WaitGroup
	for name, file := range examples(t) {
		spec := specOf(t, file, nil)
		want := answersOf(t, other, spec)
		if len(want) == 0 {
			t.Fatalf("%s answers nothing", name)
		}
		for range 2 { // sessions of WebGPU side by side would end the process
			all.Go(func() {
				got := answersOf(t, one, spec)
				if len(got) != len(want) {
					t.Errorf("%s has %d outputs", name, len(got))
				}
				for i := range min(len(want), len(got)) {
					worst := furthest(got[i], want[i])
					if t.Logf("output %d of %s differs by %v at most", i, name, worst); !(worst <= 1e-4) {
						t.Errorf("output %d of %s differs by %v", i, name, worst)
					}
				}
			})
		}
	}
	all.Wait()
}

// examples are the ONNX models of the example repository, and a layer of a network of convolutions.
func examples(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{"a convolution": onnxtest.Convolution(3, 8).Bytes()}
	for _, name := range []string{"add_sub", "digits", "digits_prepare"} {
		file, err := os.ReadFile(filepath.Join("../../../examples/repository", name, "1/model.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = file
	}
	return files
}

// answersOf runs a model three times on the same numbers and returns its outputs.
func answersOf(t *testing.T, b *onnx.Backend, spec backend.Spec) (outputs [][]float32) {
	model, err := b.Load(context.Background(), spec)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer model.Close()
	instance, err := model.NewInstance(context.Background(), cpuInstance)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer instance.Close()
	for range 3 {
		answer := run(context.Background(), t, instance, numbersFor(spec.Config))[0]
		if answer.err != nil {
			t.Error(answer.err)
			return nil
		}
		outputs = outputs[:0]
		for i := range answer.response.Outputs {
			outputs = append(outputs, asFloats(&answer.response.Outputs[i]))
		}
	}
	return outputs
}

// numbersFor is a request with small numbers for each input.
func numbersFor(config *modelconfig.ModelConfig) *infer.Request {
	var inputs []tensor.Tensor
	batch := int64(0)
	for _, in := range config.Input {
		shape := tensor.Shape(in.Dims)
		if config.MaxBatchSize > 0 {
			batch, shape = 2, append(tensor.Shape{2}, shape...)
		}
		for i := range shape {
			shape[i] = max(shape[i], 1)
		}
		count, _ := shape.Elements()
		t := tensor.Tensor{Name: in.Name, Shape: shape}
		for i := range count {
			switch in.DataType {
			case modelconfig.DataType_TYPE_INT32:
				t.Type, t.Data = tensor.Int32, binary.LittleEndian.AppendUint32(t.Data, uint32(i%11))
			case modelconfig.DataType_TYPE_UINT8:
				t.Type, t.Data = tensor.Uint8, append(t.Data, byte(i*7))
			default:
				t.Type, t.Data = tensor.FP32, binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(float32(i%17)/17))
			}
		}
		inputs = append(inputs, t)
	}
	return request(batch, inputs...)
}

func asFloats(t *tensor.Tensor) (list []float32) {
	for i := 0; i+4 <= len(t.Data); i += 4 {
		bits := binary.LittleEndian.Uint32(t.Data[i:])
		if t.Type == tensor.Int32 {
			list = append(list, float32(int32(bits)))
		} else {
			list = append(list, math.Float32frombits(bits))
		}
	}
	return list
}

// furthest is the largest difference of two lists; without end where they are not of one length.
func furthest(a, b []float32) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return math.Inf(1)
	}
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i]-b[i])))
	}
	return worst
}

// Accelerators that only Conch has are asked for by a config, or by the setting for all models.
func TestAcceleratorsOfOthers(t *testing.T) {
	for _, name := range []string{"xnnpack", "coreml", "directml"} {
		for way, c := range map[string]struct {
			setting string
			change  func(*modelconfig.ModelConfig)
		}{"config": {"", accelerator(name)}, "setting": {"onnxruntime,accelerator=" + name, nil}} {
			b := onnx.New(onnx.Options{Library: onnxtest.Library(t), Log: slog.New(slog.DiscardHandler), Settings: onnx.ReadSettings([]string{c.setting})})
			_, err := b.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(c.change)))
			if infer.CodeOf(err) != infer.Unsupported || !strings.Contains(err.Error(), "needs the Execution Accelerator '"+name+"'") {
				t.Errorf("%s by the %s: %v", name, way, err)
			}
			b.Close()
		}
	}
}
