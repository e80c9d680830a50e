package trial

import (
	"cmp"
	"slices"
	"strings"

	"conch/app/api"
	"conch/configedit/modelconfig"
	"conch/engine/gpulost"
)

// OnGPU reports whether a provider runs models on NVIDIA GPUs.
func (p Provider) OnGPU() bool { return p.kind == onGPU }

// NoGPU says why no provider of a build runs on GPUs here; "" where one can.
func NoGPU(build *api.Runtime, engine *api.Engine) string {
	if len(engine.GetGpus()) > 0 {
		return cmp.Or(engine.GetNoCuda(), build.GetUnfit())
	}
	why := cmp.Or(strings.TrimSuffix(engine.GetGpuTrouble(), "."), gpulost.Text(engine.GetGpusLost(), nil))
	if why == "" && !engine.GetGpusRead() {
		return "the driver of GPUs has not answered yet, so it is not known which there are. Open this again in a moment"
	}
	return cmp.Or(why, "this machine has no NVIDIA GPU, or no driver for it")
}

// Offered returns the providers on which a model that runs on the devices, such as "CPU" or "GPU 0, GPU 1", can be loaded once more. A group of
// KIND_GPU is on the processor where ONNX Runtime cannot use the GPUs that are here.
func Offered(build *api.Runtime, engine *api.Engine, served *modelconfig.ModelConfig, devices string) []Provider {
	none := NoGPU(build, engine) != ""
	return slices.DeleteFunc(Of(build, served, devices), func(p Provider) bool { return p.OnGPU() && none })
}

// Absent says why providers for NVIDIA GPUs cannot be chosen, and the way to get them. Those with the same reason are one entry.
func Absent(build *api.Runtime, engine *api.Engine) (list []*api.AbsentProvider) {
	none, told := NoGPU(build, engine), map[string]bool{}
	for _, p := range Providers {
		if !p.OnGPU() || told[p.needs] {
			continue
		}
		told[p.needs] = true
		label, _, _ := strings.Cut(p.Label, " in ") // in whatever precision
		a := &api.AbsentProvider{Label: label, Why: none}
		missing := missingOf(build, p.needs)
		switch {
		case none != "":
		case len(missing) > 0:
			a.Why, a.How = strings.Join(missing, "; "), strings.Join(build.Advice, "; ")
		case slices.Contains(build.Providers, p.needs):
			continue
		default:
			a.ByBuild = true
		}
		list = joined(list, a)
	}
	for _, a := range list {
		if a.ByBuild {
			what := "it"
			if a.Several {
				what = "them"
			}
			a.Why, a.How = "the ONNX Runtime in use ("+build.Name+") is built without "+what, "install or choose a build that has "+what
		}
	}
	return list
}

// joined appends a provider to a list, or its label to the entry with the same reason.
func joined(list []*api.AbsentProvider, a *api.AbsentProvider) []*api.AbsentProvider {
	for _, one := range list {
		if one.Why == a.Why && one.How == a.How && one.ByBuild == a.ByBuild {
			one.Label, one.Several = one.Label+" and "+a.Label, true
			return list
		}
	}
	return append(list, a)
}

// missingOf says what a provider of a build needs and is not there.
func missingOf(build *api.Runtime, provider string) (texts []string) {
	for _, part := range build.Missing {
		if part.Provider == provider {
			texts = append(texts, part.Text)
		}
	}
	return texts
}
