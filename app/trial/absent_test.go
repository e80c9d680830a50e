package trial

import (
	"testing"

	"conch/app/api"
)

// Who looks for CUDA or TensorRT is told why it cannot be chosen, and how to get it.
func TestAbsent(t *testing.T) {
	gpus := &api.Engine{Gpus: []*api.Gpu{{}}}
	const noGPU = "this machine has no NVIDIA GPU, or no driver for it"
	parts := []*api.MissingPart{{Provider: "TensorRT", Text: "no libnvinfer.so.10 is found"}, {Provider: "other", Text: "cuda needs a word"}, {Provider: "TensorRT", Text: "libnvonnxparser.so.10 is damaged"}}
	for name, c := range map[string]struct {
		build  *api.Runtime
		engine *api.Engine
		want   []*api.AbsentProvider
	}{
		"no GPU":        {&api.Runtime{Providers: []string{"CUDA", "TensorRT"}}, &api.Engine{GpusRead: true}, []*api.AbsentProvider{{Label: "CUDA and TensorRT", Several: true, Why: noGPU}}},
		"not read yet":  {&api.Runtime{Providers: []string{"CUDA", "TensorRT"}}, &api.Engine{}, []*api.AbsentProvider{{Label: "CUDA and TensorRT", Several: true, Why: "the driver of GPUs has not answered yet, so it is not known which there are. Open this again in a moment"}}},
		"GPUs lost":     {&api.Runtime{}, &api.Engine{GpusLost: []int32{0}}, []*api.AbsentProvider{{Label: "CUDA and TensorRT", Several: true, Why: "GPU 0 is lost: its driver cannot reach it. Restart the machine to get it back"}}},
		"driver hangs":  {&api.Runtime{}, &api.Engine{GpuTrouble: "it hangs."}, []*api.AbsentProvider{{Label: "CUDA and TensorRT", Several: true, Why: "it hangs"}}},
		"no libcuda":    {&api.Runtime{}, &api.Engine{Gpus: gpus.Gpus, NoCuda: "no libcuda.so.1"}, []*api.AbsentProvider{{Label: "CUDA and TensorRT", Several: true, Why: "no libcuda.so.1"}}},
		"old driver":    {&api.Runtime{Unfit: "too old", Providers: []string{"CUDA"}}, gpus, []*api.AbsentProvider{{Label: "CUDA and TensorRT", Several: true, Why: "too old"}}},
		"all there":     {&api.Runtime{Providers: []string{"TensorRT", "CUDA", "CPU"}}, gpus, nil},
		"other build":   {&api.Runtime{Name: "bundled", Providers: []string{"CPU"}}, gpus, []*api.AbsentProvider{{Label: "CUDA and TensorRT", Several: true, Why: "the ONNX Runtime in use (bundled) is built without them", How: "install or choose a build that has them", ByBuild: true}}},
		"only CUDA":     {&api.Runtime{Name: "mine", Providers: []string{"CUDA"}}, gpus, []*api.AbsentProvider{{Label: "TensorRT", Why: "the ONNX Runtime in use (mine) is built without it", How: "install or choose a build that has it", ByBuild: true}}},
		"its libraries": {&api.Runtime{Providers: []string{"CUDA", "TensorRT"}, Missing: parts, Advice: []string{"pip install x"}}, gpus, []*api.AbsentProvider{{Label: "TensorRT", Why: "no libnvinfer.so.10 is found; libnvonnxparser.so.10 is damaged", How: "pip install x"}}},
	} {
		got := Absent(c.build, c.engine)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i, a := range got {
			if w := c.want[i]; a.Label != w.Label || a.Why != w.Why || a.How != w.How || a.ByBuild != w.ByBuild {
				t.Errorf("%s: %v, want %v", name, a, w)
			}
		}
	}
}
