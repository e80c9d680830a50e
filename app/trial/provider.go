package trial

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"conch/app/api"
	"conch/configedit/modelconfig"
)

// Provider is a way to run an ONNX model.
type Provider struct {
	ID    string // "tensorrt-fp16"
	Label string // "TensorRT in FP16"

	needs       string // of what the build of ONNX Runtime has; "" for what each has
	needsDevice bool   // it runs nothing without a device. ONNX Runtime does not tell of all: a Vulkan on the processor is none
	kind        modelconfig.ModelInstanceGroup_Kind
	accelerator string // in the config; "" for none
	parameters  map[string]string
	level       int32 // of the optimization of the graph (docs/triton/onnx.md, "Parameters")
}

// unoptimized is the level at which ONNX Runtime runs the graph as the file has it.
const unoptimized = 2

const (
	onCPU = modelconfig.ModelInstanceGroup_KIND_CPU
	onGPU = modelconfig.ModelInstanceGroup_KIND_GPU
)

// Providers are all that Conch knows.
var Providers = []Provider{
	{ID: "cpu", Label: "CPU", kind: onCPU},
	{ID: "cpu-unoptimized", Label: "CPU, graph not optimized", kind: onCPU, level: unoptimized},
	{ID: "cuda", Label: "CUDA", needs: "CUDA", kind: onGPU},
	{ID: "tensorrt", Label: "TensorRT in FP32", needs: "TensorRT", kind: onGPU, accelerator: "tensorrt"},
	{ID: "tensorrt-fp16", Label: "TensorRT in FP16", needs: "TensorRT", kind: onGPU, accelerator: "tensorrt", parameters: map[string]string{"precision_mode": "FP16"}},
	{ID: "webgpu", Label: "WebGPU", needs: "WebGPU", needsDevice: true, kind: onCPU, accelerator: "webgpu"},
	{ID: "openvino", Label: "OpenVINO", needs: "OpenVINO", kind: onCPU, accelerator: "openvino"},
	{ID: "xnnpack", Label: "XNNPACK", needs: "XNNPACK", kind: onCPU, accelerator: "xnnpack"},
	{ID: "coreml", Label: "CoreML", needs: "CoreML", kind: onCPU, accelerator: "coreml"},
	{ID: "directml", Label: "DirectML", needs: "DirectML", kind: onCPU, accelerator: "directml"},
}

// Of returns the providers of a build of ONNX Runtime, without that on which the served model runs already: the two would be the
// same. Other hardware and frameworks come first. Last is a provider for which no device is known: it may run nothing here. The devices
// are those on which the model runs, "CPU", "GPU 0, GPU 1" or "WebGPU".
func Of(build *api.Runtime, served *modelconfig.ModelConfig, devices string) []Provider {
	var list, rough, doubtful []Provider
	for _, p := range Providers {
		switch {
		case p.needs != "" && !slices.Contains(build.GetProviders(), p.needs):
		case p.runs(served, devices):
		case p.needsDevice && !finds(build, p.needs):
			doubtful = append(doubtful, p)
		case p.level != 0:
			rough = append(rough, p)
		default:
			list = append(list, p)
		}
	}
	return slices.Concat(list, rough, doubtful)
}

// finds reports whether a build finds a device for a provider. The GPUs of NVIDIA's driver do not count: it also runs where nothing
// draws, and then WebGPU cannot use them.
func finds(build *api.Runtime, provider string) bool {
	return slices.ContainsFunc(build.GetDevices(), func(d *api.OtherDevice) bool { return slices.Contains(d.Providers, provider) })
}

// runs reports whether a served model runs on the provider.
func (p Provider) runs(served *modelconfig.ModelConfig, devices string) bool {
	gpu := strings.Contains(devices, "GPU ") && slices.ContainsFunc(served.GetInstanceGroup(), func(g *modelconfig.ModelInstanceGroup) bool { return g.Kind == onGPU })
	asked := served.GetOptimization().GetExecutionAccelerators()
	list := asked.GetCpuExecutionAccelerator()
	if gpu {
		list = asked.GetGpuExecutionAccelerator()
	}
	if gpu != p.OnGPU() || p.level != 0 && served.GetOptimization().GetGraph().GetLevel() != p.level {
		return false
	}
	if len(list) == 0 { // the engine may have an accelerator for all
		of := strings.Split(devices, ", ")
		return p.accelerator == "" && (gpu || slices.Contains(of, "CPU")) || p.accelerator != "" && slices.Contains(of, p.Label)
	}
	return list[0].Name == p.accelerator && precision(list[0].Parameters) == precision(p.parameters)
}

// precision is that of TensorRT's parameters, FP32 where they do not say it.
func precision(parameters map[string]string) string {
	return cmp.Or(parameters["precision_mode"], "FP32")
}

// Find returns the provider with an ID.
func Find(id string) (Provider, bool) {
	i := slices.IndexFunc(Providers, func(p Provider) bool { return p.ID == id })
	if i < 0 {
		return Provider{}, false
	}
	return Providers[i], true
}

// config is that of a version for a trial: as it serves, with one instance on the provider. Labels and warm-ups are left out: answers are compared
// as they come, and no client waits.
func (p Provider) config(served *modelconfig.ModelConfig, version int64, gpus []int32) *modelconfig.ModelConfig {
	cfg := proto.CloneOf(served)
	cfg.InstanceGroup = []*modelconfig.ModelInstanceGroup{{Kind: p.kind, Count: 1, Gpus: p.oneOf(gpus, served)}}
	cfg.VersionPolicy = &modelconfig.ModelVersionPolicy{PolicyChoice: &modelconfig.ModelVersionPolicy_Specific_{
		Specific: &modelconfig.ModelVersionPolicy_Specific{Versions: []int64{version}},
	}}
	cfg.ModelWarmup, cfg.ResponseCache = nil, nil
	for _, out := range cfg.Output {
		out.LabelFilename = ""
	}
	if cfg.Optimization == nil {
		cfg.Optimization = &modelconfig.ModelOptimizationPolicy{}
	}
	cfg.Optimization.ExecutionAccelerators = p.accelerators()
	if p.level != 0 {
		cfg.Optimization.Graph = &modelconfig.ModelOptimizationPolicy_Graph{Level: p.level}
	}
	return cfg
}

// oneOf is the one GPU of a trial: without a list, a group has an instance on each. It is the first that the model has, or else the machine's
// first. A machine with one or none needs no list, and the engine says best what a machine without one lacks.
func (p Provider) oneOf(gpus []int32, served *modelconfig.ModelConfig) []int32 {
	if !p.OnGPU() {
		return nil
	}
	for _, g := range served.GetInstanceGroup() {
		if g.Kind == onGPU && len(g.Gpus) > 0 {
			return g.Gpus[:1:1]
		}
	}
	if len(gpus) < 2 {
		return nil
	}
	return gpus[:1:1]
}

func (p Provider) accelerators() *modelconfig.ModelOptimizationPolicy_ExecutionAccelerators {
	if p.accelerator == "" {
		return nil
	}
	list := []*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator{{Name: p.accelerator, Parameters: p.parameters}}
	if p.kind == onGPU {
		return &modelconfig.ModelOptimizationPolicy_ExecutionAccelerators{GpuExecutionAccelerator: list}
	}
	return &modelconfig.ModelOptimizationPolicy_ExecutionAccelerators{CpuExecutionAccelerator: list}
}
