package onnx

import (
	"fmt"
	"slices"
	"strings"

	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/engine/backend/onnx/ort"
	"conch/engine/infer"
)

// Accelerator is an execution provider of ONNX Runtime that configs ask for by name
// (docs/triton/onnx.md, "Accelerators"). The backend needs to know nothing else about a device: an
// accelerator in Options.Accelerators is found, checked against the library, and used without a
// change in this package. It must be safe for concurrent use.
type Accelerator interface {
	// Describe returns the accelerator's names. They never change.
	Describe() AcceleratorInfo
	// Append adds the provider to the options of a new session. Providers take nodes in the order in which they were
	// added, and the CPU takes the rest. The error is an *infer.Error for a mistake in the config. Any other error counts
	// as ONNX Runtime's.
	Append(options *ort.Options, use AcceleratorUse) error
}

// AcceleratorInfo names an accelerator.
type AcceleratorInfo struct {
	Name     string // in configs: "cuda"
	Provider string // in ONNX Runtime: "CUDAExecutionProvider"
	// GPU is true for an accelerator of gpu_execution_accelerator and of instances of KIND_GPU. Any other belongs to
	// cpu_execution_accelerator.
	GPU bool
	// Adapter names for people what it runs on in place of the processor; "" for the processor, and for NVIDIA's GPUs.
	Adapter string
	// Always is true if every instance on a GPU gets it, behind the accelerators that its config names.
	Always bool
	// Graphs is the parameter that asks for CUDA graphs; "" where there are none. NoGraphs is one that is left out, although it asks for them.
	Graphs, NoGraphs string
	// Late is true if the provider does not wait for inputs that ONNX Runtime still copies to the GPU when a run with a binding begins.
	Late bool
	// Compiles is true if it compiles the graph, which may take minutes, and keeps the outcome in AcceleratorUse.Folder.
	Compiles bool
}

// AcceleratorUse is what one session wants of an accelerator.
type AcceleratorUse struct {
	Name       string            // of the model
	Device     int               // number of the GPU
	Parameters map[string]string // of the accelerator in the config
	Model      map[string]string // `parameters` of the model
	// ForAll is true if no config names it: the settings of the backend do, for all models.
	ForAll bool
	// Graphs is true if the session's runs can be recorded as CUDA graphs, where Parameters ask for that.
	Graphs bool
	// Folder is for what an accelerator that compiles keeps of this session; "" for nothing.
	Folder string
}

// without says how a model comes to run without the accelerator.
func (u AcceleratorUse) without() string {
	if u.ForAll {
		return "choose what ONNX models run by: under Devices… in the workbench, with --backend-config=onnxruntime,accelerator=NAME of `conch serve`"
	}
	return "take the accelerator out of the config"
}

// placement is where a session runs.
type placement struct {
	gpu    bool
	device int
}

// appended is an accelerator as one session uses it.
type appended struct {
	Accelerator
	use AcceleratorUse
}

// graphs is the value of a parameter for the provider, where one parameter asks for CUDA graphs: "" leaves it out. A value that is
// no boolean is ONNX Runtime's to refuse.
func (u AcceleratorUse) graphs(asking, key, text string) string {
	on, err := boolean(text)
	switch {
	case key != asking || err != nil || !on:
		return text
	case u.Graphs:
		return "1"
	}
	return ""
}

// graphs reports whether the session makes CUDA graphs.
func (a appended) graphs() bool {
	on, err := boolean(a.use.Parameters[a.Describe().Graphs])
	return a.use.Graphs && err == nil && on
}

// accelerators returns the accelerators of a session, in the order in which they are used. It refuses names that are
// unknown (in Triton's words), and accelerators that the library does not have. On the CPU it ignores those for GPUs.
func (b *Backend) accelerators(cfg *modelconfig.ModelConfig, library *ort.Library, at placement, graphs bool) ([]appended, error) {
	asked := cfg.GetOptimization().GetExecutionAccelerators()
	use := AcceleratorUse{Name: cfg.GetName(), Device: at.device, Model: plain(cfg), Graphs: graphs}
	var chosen []appended
	if at.gpu {
		found, err := b.choose(asked.GetGpuExecutionAccelerator(), use, onGPU)
		if err != nil {
			return nil, err
		}
		chosen = append(found, b.always(use, found)...)
	}
	found, err := b.choose(asked.GetCpuExecutionAccelerator(), use, onCPU)
	if err != nil {
		return nil, err
	}
	chosen = append(chosen, found...)
	if name := b.options.Settings.Accelerator; name != "" && len(chosen) == 0 {
		use.ForAll = true
		if chosen, err = b.choose([]*asking{{Name: name}}, use, onCPU); err != nil {
			return nil, fmt.Errorf("%w: %s", err, use.without())
		}
	}
	if len(chosen) == 0 || library == nil {
		return chosen, nil
	}
	return chosen, available(cfg.Name, library, chosen)
}

// The two lists of a config.
func onGPU(info AcceleratorInfo) bool { return info.GPU }
func onCPU(info AcceleratorInfo) bool { return !info.GPU }

// asking is an entry of a list.
type asking = modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator

// choose finds accelerators of a list by their names.
func (b *Backend) choose(asked []*asking, use AcceleratorUse,
	fits func(AcceleratorInfo) bool) ([]appended, error) {
	var chosen []appended
	for _, a := range asked {
		i := slices.IndexFunc(b.options.Accelerators, func(known Accelerator) bool {
			info := known.Describe()
			return info.Name == a.GetName() && fits(info)
		})
		if i < 0 {
			return nil, infer.Refused(rule.ACC1, a.GetName())
		}
		use.Parameters = a.GetParameters()
		chosen = append(chosen, b.options.appended(i, use))
	}
	return chosen, nil
}

// appended is the i-th accelerator for a use.
func (o Options) appended(i int, use AcceleratorUse) appended {
	a := o.Accelerators[i]
	use.Graphs = use.Graphs && a.Describe().Graphs != ""
	return appended{a, use}
}

// always returns the accelerators that each instance on a GPU gets.
func (b *Backend) always(use AcceleratorUse, chosen []appended) []appended {
	var more []appended
	for i, a := range b.options.Accelerators {
		info := a.Describe()
		named := func(c appended) bool { return c.Describe().Name == info.Name }
		if info.GPU && info.Always && !slices.ContainsFunc(chosen, named) && !slices.ContainsFunc(more, named) {
			more = append(more, b.options.appended(i, use))
		}
	}
	return more
}

// plain returns the model's parameters as strings.
func plain(cfg *modelconfig.ModelConfig) map[string]string {
	parameters := map[string]string{}
	for key, p := range cfg.GetParameters() {
		parameters[key] = p.GetStringValue()
	}
	return parameters
}

// available refuses an accelerator that is not in the library, or whose own library is not beside it.
func available(model string, library *ort.Library, chosen []appended) error {
	providers, err := library.Providers()
	if err != nil {
		return fmt.Errorf("list execution providers: %w", err)
	}
	for _, a := range chosen {
		info := a.Describe()
		lacks := ort.LacksLibrary(library.Path(), info.Provider)
		if slices.Contains(providers, info.Provider) && lacks == "" {
			continue
		}
		if lacks != "" {
			lacks = " (" + lacks + " is not beside it)"
		}
		return infer.Errorf(infer.Unsupported, "model '%s' needs the Execution Accelerator '%s', which ONNX Runtime %s in %s does not have%s; it has: %s. "+
			"Choose a build with %s, or %s. ONNX Runtime… in the menu of the engine, or `conch runtime list`, shows what each build has",
			model, info.Name, library.Version(), library.Path(), lacks, strings.Join(ort.ShortNames(providers, library.Absent(providers)), ", "), ort.ShortName(info.Provider), a.use.without())
	}
	return nil
}
