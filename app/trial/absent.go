package trial

import (
	"cmp"
	"slices"
	"strings"

	"conch/app/api"
)

// soughtAfter are the providers that people with a GPU look for, with the names that a build of ONNX Runtime has for them.
var soughtAfter = []struct{ label, name string }{{"CUDA", "CUDA"}, {"TensorRT", "Tensorrt"}}

// OnGPU reports whether a provider runs models on NVIDIA GPUs.
func (p Provider) OnGPU() bool { return p.kind == onGPU }

// NoGPU says why no provider of a build runs on GPUs here; "" where one can.
func NoGPU(build *api.Runtime, engine *api.Engine) string {
	if len(engine.GetGpus()) == 0 {
		return cmp.Or(engine.GetGpuTrouble(), "this machine has no NVIDIA GPU, or no driver for it")
	}
	return build.GetUnfit()
}

// Absent says why providers for NVIDIA GPUs cannot be chosen, and the way to get them.
func Absent(build *api.Runtime, engine *api.Engine) (list []*api.AbsentProvider) {
	none := NoGPU(build, engine)
	for _, p := range soughtAfter {
		a := &api.AbsentProvider{Label: p.label, Why: none}
		missing := slices.IndexFunc(build.Missing, func(line string) bool { return strings.HasPrefix(strings.ToLower(line), strings.ToLower(p.name)+" ") })
		switch {
		case none != "":
		case missing >= 0:
			a.Why, a.How = build.Missing[missing], strings.Join(build.Advice, "; ")
		case slices.Contains(build.Providers, p.name):
			continue
		default:
			a.Why, a.How, a.ByBuild = "the ONNX Runtime in use ("+build.Name+") is built without it", "install or choose a build that has it", true
		}
		list = append(list, a)
	}
	return list
}
