package trial

import (
	"slices"
	"testing"

	"conch/app/api"
	"conch/configedit/modelconfig"
)

func TestProvidersOfABuild(t *testing.T) {
	card := func(providers ...string) []*api.OtherDevice {
		return []*api.OtherDevice{{Kind: "GPU", Providers: providers}}
	}
	for name, c := range map[string]struct {
		devices []*api.OtherDevice
		want    []string
	}{
		"a GPU for WebGPU":      {card("DirectML", "WebGPU"), []string{"webgpu", "cpu-unoptimized"}},
		"a GPU for another one": {card("DirectML"), []string{"cpu-unoptimized", "webgpu"}},
		"no GPU":                {nil, []string{"cpu-unoptimized", "webgpu"}},
	} {
		var ids []string
		for _, p := range Of(&api.Runtime{Providers: []string{"WebGPU", "CPU"}, Devices: c.devices}, nil, "CPU") {
			ids = append(ids, p.ID)
		}
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: a build with WebGPU has %v", name, ids)
		}
	}
	if gpu := Of(&api.Runtime{Providers: []string{"CUDA", "TensorRT", "CPU"}}, nil, "CPU, GPU 0"); len(gpu) != 4 {
		t.Errorf("a build for GPUs has %v", gpu)
	}
}

// A model is not offered what it runs on already: it would be compared with itself.
func TestWhatIsNotOffered(t *testing.T) {
	ask := func(list ...*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator) *modelconfig.ModelOptimizationPolicy {
		return &modelconfig.ModelOptimizationPolicy{ExecutionAccelerators: &modelconfig.ModelOptimizationPolicy_ExecutionAccelerators{
			CpuExecutionAccelerator: list, GpuExecutionAccelerator: list,
		}}
	}
	type accelerator = modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator
	groups := func(kind modelconfig.ModelInstanceGroup_Kind) []*modelconfig.ModelInstanceGroup {
		return []*modelconfig.ModelInstanceGroup{{Kind: kind}}
	}
	build := &api.Runtime{
		Providers: []string{"WebGPU", "CUDA", "TensorRT", "CPU"},
		Devices:   []*api.OtherDevice{{Providers: []string{"WebGPU"}}},
	}
	all := []string{"cpu", "cpu-unoptimized", "cuda", "tensorrt", "tensorrt-fp16", "webgpu"}
	for name, c := range map[string]struct {
		served  *modelconfig.ModelConfig
		devices string
		not     []string
	}{
		"on the CPU":            {&modelconfig.ModelConfig{InstanceGroup: groups(onCPU)}, "CPU, GPU 0", []string{"cpu"}},
		"for a GPU, without it": {&modelconfig.ModelConfig{InstanceGroup: groups(onGPU)}, "CPU", []string{"cpu"}},
		"by WebGPU":             {&modelconfig.ModelConfig{InstanceGroup: groups(onCPU), Optimization: ask(&accelerator{Name: "webgpu"})}, "CPU, GPU 0", []string{"webgpu"}},
		"by WebGPU as all":      {&modelconfig.ModelConfig{InstanceGroup: groups(onCPU)}, "WebGPU", []string{"webgpu"}},
		"on a GPU":              {&modelconfig.ModelConfig{InstanceGroup: groups(onGPU)}, "CPU, GPU 0", []string{"cuda"}},
		"by TensorRT in FP16": {&modelconfig.ModelConfig{InstanceGroup: groups(onGPU), Optimization: ask(
			&accelerator{Name: "tensorrt", Parameters: map[string]string{"precision_mode": "FP16"}})}, "CPU, GPU 0", []string{"tensorrt-fp16"}},
		"by TensorRT in FP32": {&modelconfig.ModelConfig{InstanceGroup: groups(onGPU), Optimization: ask(
			&accelerator{Name: "tensorrt", Parameters: map[string]string{"precision_mode": "FP32"}})}, "CPU, GPU 0", []string{"tensorrt"}},
		"not optimized": {&modelconfig.ModelConfig{InstanceGroup: groups(onCPU), Optimization: &modelconfig.ModelOptimizationPolicy{
			Graph: &modelconfig.ModelOptimizationPolicy_Graph{Level: unoptimized}}}, "CPU, GPU 0", []string{"cpu", "cpu-unoptimized"}},
	} {
		var ids, want []string
		for _, p := range Of(build, c.served, c.devices) {
			ids = append(ids, p.ID)
		}
		for _, id := range all {
			if !slices.Contains(c.not, id) {
				want = append(want, id)
			}
		}
		if slices.Sort(ids); !slices.Equal(ids, want) {
			t.Errorf("%s: %v is offered", name, ids)
		}
	}
}

// The config of a trial is the one that serves, on the provider alone. What serves stays as it is.
func TestConfigOfATrial(t *testing.T) {
	served := &modelconfig.ModelConfig{
		Name: "m", Backend: "onnxruntime", MaxBatchSize: 8, Output: []*modelconfig.ModelOutput{{Name: "y", LabelFilename: "labels.txt"}},
		InstanceGroup: []*modelconfig.ModelInstanceGroup{{Kind: modelconfig.ModelInstanceGroup_KIND_CPU, Count: 4}},
		ModelWarmup:   []*modelconfig.ModelWarmup{{Name: "w"}},
		Optimization: &modelconfig.ModelOptimizationPolicy{ExecutionAccelerators: &modelconfig.ModelOptimizationPolicy_ExecutionAccelerators{
			CpuExecutionAccelerator: []*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator{{Name: "openvino"}},
		}},
	}
	for id, want := range map[string]struct {
		kind     modelconfig.ModelInstanceGroup_Kind
		cpu, gpu string
		level    int32
	}{
		"cpu":             {kind: onCPU},
		"cpu-unoptimized": {kind: onCPU, level: 2},
		"cuda":            {kind: onGPU},
		"tensorrt-fp16":   {kind: onGPU, gpu: "tensorrt FP16"},
		"xnnpack":         {kind: onCPU, cpu: "xnnpack "},
	} {
		p, found := Find(id)
		if !found {
			t.Fatalf("there is no %s", id)
		}
		cfg := p.config(served, 7, nil)
		name := func(list []*modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator) (text string) {
			for _, a := range list {
				text += a.Name + " " + a.Parameters["precision_mode"]
			}
			return text
		}
		accelerators := cfg.GetOptimization().GetExecutionAccelerators()
		if got := name(accelerators.GetCpuExecutionAccelerator()); got != want.cpu {
			t.Errorf("%s: for the CPU %q", id, got)
		}
		if got := name(accelerators.GetGpuExecutionAccelerator()); got != want.gpu {
			t.Errorf("%s: for the GPU %q", id, got)
		}
		if g := cfg.InstanceGroup; len(g) != 1 || g[0].Kind != want.kind || g[0].Count != 1 || cfg.GetOptimization().GetGraph().GetLevel() != want.level {
			t.Errorf("%s: %v", id, cfg)
		}
		if cfg.MaxBatchSize != 8 || cfg.Output[0].LabelFilename != "" || cfg.ModelWarmup != nil || !slices.Equal(cfg.GetVersionPolicy().GetSpecific().GetVersions(), []int64{7}) {
			t.Errorf("%s: %v", id, cfg)
		}
	}
	cuda, _ := Find("cuda")
	for _, c := range []struct{ has, here, want []int32 }{
		{nil, nil, nil}, {nil, []int32{0}, nil}, {nil, []int32{0, 1}, []int32{0}}, {[]int32{3, 1}, []int32{0, 1, 2, 3}, []int32{3}},
	} {
		served := &modelconfig.ModelConfig{InstanceGroup: []*modelconfig.ModelInstanceGroup{{Kind: onCPU}, {Kind: onGPU, Gpus: c.has}}}
		if got := cuda.config(served, 1, c.here).InstanceGroup[0].Gpus; !slices.Equal(got, c.want) {
			t.Errorf("a model on %v is tried on %v, with %v here", c.has, got, c.here)
		}
	}
	if served.InstanceGroup[0].Count != 4 || served.Output[0].LabelFilename == "" || len(served.Optimization.ExecutionAccelerators.CpuExecutionAccelerator) != 1 {
		t.Errorf("what serves became %v", served)
	}
}

// A model that asks for a GPU and runs on the processor, because the build cannot use the GPU that is here, is not offered the processor.
func TestOfferedBesideAGPU(t *testing.T) {
	served := &modelconfig.ModelConfig{InstanceGroup: []*modelconfig.ModelInstanceGroup{{Kind: onGPU}}}
	build := &api.Runtime{Providers: []string{"CUDA", "CPU"}}
	gpu := &api.Engine{Gpus: []*api.Gpu{{}}}
	for name, c := range map[string]struct {
		engine  *api.Engine
		devices string
		want    []string
	}{
		"on the processor":    {gpu, "CPU", []string{"cuda", "cpu-unoptimized"}},
		"on GPUs":             {gpu, "GPU 0, GPU 1", []string{"cpu", "cpu-unoptimized"}},
		"on both":             {gpu, "CPU, GPU 0", []string{"cpu", "cpu-unoptimized"}},
		"without a GPU there": {&api.Engine{}, "CPU", []string{"cpu-unoptimized"}},
	} {
		var ids []string
		for _, p := range Offered(build, c.engine, served, c.devices) {
			ids = append(ids, p.ID)
		}
		slices.Sort(ids)
		slices.Sort(c.want)
		if !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, want %v", name, ids, c.want)
		}
	}
}
