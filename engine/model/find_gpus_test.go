package model_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/fake"
	"conch/engine/model"
	"conch/engine/placement"
)

// besideCPU runs a config with an accelerator by WebGPU.
type besideCPU struct{ *fake.Backend }

func (besideCPU) Adapter(cfg *modelconfig.ModelConfig) string {
	if cfg.GetOptimization() == nil {
		return ""
	}
	return "WebGPU"
}

// By what instances on no GPU run is decided for the config, as a load decides it.
func TestFindAdapter(t *testing.T) {
	l := &model.Loader{Backends: map[string]backend.Backend{backends.ONNXRuntime: besideCPU{&fake.Backend{}}}, Log: slog.New(slog.DiscardHandler)}
	for adapter, cfg := range map[string]*modelconfig.ModelConfig{
		"": {Backend: backends.ONNXRuntime}, "WebGPU": {Backend: backends.ONNXRuntime, Optimization: &modelconfig.ModelOptimizationPolicy{}},
	} {
		if found := l.FindGPUs(cfg, false); found.Adapter != adapter || found.Why == "" {
			t.Errorf("%q: %+v", adapter, found)
		}
	}
}

// FindGPUs tells the GPUs with which a load settles a config, and why there are none.
func TestFindGPUs(t *testing.T) {
	one := placement.Machine{GPUs: []placement.GPU{{ID: 0, Capability: 9}, {ID: 1, Capability: 9}}}
	both := &fake.Backend{GPUs: []backend.Memory{gpu(0, 100), gpu(1, 100)}}
	none := &fake.Backend{NoGPU: "there is no CUDA"}
	for name, c := range map[string]struct {
		machine placement.Machine
		be      *fake.Backend
		backend string
		want    string
	}{
		"used":               {one, both, backends.ONNXRuntime, "[0 1] "},
		"not used":           {one, none, backends.ONNXRuntime, "[] GPU 0, GPU 1 are here, but there is no CUDA; Triton would run on them. ONNX Runtime… in the menu of the engine"},
		"not used by Python": {one, none, backends.Python, "[] GPU 0, GPU 1 are here, but python cannot use them: there is no CUDA; Triton would run on them"},
		"not taken":          {one, both, backends.PyTorch, "[] Conch runs models of pytorch on a GPU only where a group has KIND_GPU"},
		"none here":          {placement.Machine{}, none, backends.ONNXRuntime, "[] this machine has no NVIDIA GPU that can be used"},
		"unknown":            {placement.Machine{Trouble: "the driver hangs."}, none, backends.ONNXRuntime, "[] no GPU can be used on this machine (the driver hangs)"},
		"too old": {
			placement.Machine{GPUs: []placement.GPU{{ID: 0, Capability: 5.2}, {ID: 1, Capability: 5}}}, both, backends.ONNXRuntime,
			"[] no GPU can be used on this machine (GPU 0, GPU 1: the compute capability is below 6.0, which --min-supported-compute-capability asks for)",
		},
		"one is too old":       {placement.Machine{GPUs: []placement.GPU{{ID: 0, Capability: 5.2}, {ID: 1, Capability: 9}}}, both, backends.ONNXRuntime, "[1] "},
		"backend that is none": {one, both, "dali", "[] "},
	} {
		l := &model.Loader{
			Backends: map[string]backend.Backend{c.backend: c.be}, Log: slog.New(slog.DiscardHandler), LeastCapability: 6,
			Machine: func(bool) placement.Machine { return c.machine },
		}
		if c.backend == "dali" {
			l.Backends = nil
		}
		found := l.FindGPUs(&modelconfig.ModelConfig{Backend: c.backend}, false)
		if got := fmt.Sprint(found.Used, " ", found.Why); !strings.HasPrefix(got, c.want) || c.want == "[] " && got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		dir := t.TempDir()
		made, err := l.Define(model.Source{Name: "m", Dir: dir, ConfigPath: "config.pbtxt", ConfigText: []byte(fmt.Sprintf("backend: %q default_model_filename: \"m\"", c.backend))})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if settled := made.Config.InstanceGroup[0].Gpus; !slices.Equal(settled, found.Used) {
			t.Errorf("%s: a load settles it with %d", name, settled)
		}
	}
}
