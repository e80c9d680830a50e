package derive

import (
	"fmt"
	"slices"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
)

// normalizeInstanceGroups does what Triton does at load (docs/triton/completion.md, "Instance
// groups"): it adds a group where there is none, and sets names, kinds, counts and GPUs.
func (e *completion) normalizeInstanceGroups() {
	if backends.IsEnsemble(e.cfg) {
		return
	}
	if len(e.cfg.InstanceGroup) == 0 {
		e.cfg.InstanceGroup = []*modelconfig.ModelInstanceGroup{{Name: e.cfg.Name, Kind: e.preferredKind()}}
		e.note("a model without groups gets one", "instance_group", 0)
	}
	for i, group := range e.cfg.InstanceGroup {
		if group.Name == "" {
			group.Name = fmt.Sprintf("%s_%d", e.cfg.Name, i)
			e.note("groups without a name are numbered", "instance_group", i, "name")
		}
		e.normalizeKind(i, group)
		e.normalizeCount(i, group)
		if group.Kind == modelconfig.ModelInstanceGroup_KIND_GPU && len(group.Gpus) == 0 && len(e.facts.GPUs) > 0 {
			group.Gpus = slices.Clone(e.facts.GPUs)
			e.note("every supported GPU is used unless some are listed", "instance_group", i, "gpus")
		}
	}
}

// preferredKind is the kind of the first usable group that a backend prefers:
// For python it is the GPU if there is one, for openvino the CPU. Other backends have none.
func (e *completion) preferredKind() modelconfig.ModelInstanceGroup_Kind {
	switch {
	case e.cfg.Backend == backends.OpenVINO:
		return modelconfig.ModelInstanceGroup_KIND_CPU
	case e.cfg.Backend == backends.Python && len(e.facts.GPUs) > 0:
		return modelconfig.ModelInstanceGroup_KIND_GPU
	}
	return modelconfig.ModelInstanceGroup_KIND_AUTO
}

func (e *completion) normalizeKind(i int, group *modelconfig.ModelInstanceGroup) {
	if group.Kind != modelconfig.ModelInstanceGroup_KIND_AUTO {
		return
	}
	switch {
	case e.canUse(group.Gpus):
		group.Kind = modelconfig.ModelInstanceGroup_KIND_GPU
		e.note("KIND_AUTO means the GPU where there is one", "instance_group", i, "kind")
		return
	case len(group.Gpus) > 0 && slices.Min(group.Gpus) >= 0 && (e.facts.Elsewhere || e.areHere(group.Gpus)): // no machine has one below 0
		group.Kind = modelconfig.ModelInstanceGroup_KIND_GPU
		e.note("KIND_AUTO with a list of GPUs means these GPUs where they are", "instance_group", i, "kind")
		return
	}
	group.Kind = modelconfig.ModelInstanceGroup_KIND_CPU
	e.note(e.whyCPU(group.Gpus), "instance_group", i, "kind")
}

// areHere reports whether the machine has all the listed GPUs.
func (e *completion) areHere(listed []int32) bool {
	return !slices.ContainsFunc(listed, func(gpu int32) bool {
		return !slices.Contains(e.facts.GPUs, gpu) && !slices.Contains(e.facts.Here, gpu)
	})
}

// whyCPU says why a group of KIND_AUTO with this list of GPUs is one of KIND_CPU.
func (e *completion) whyCPU(listed []int32) string {
	missing := slices.IndexFunc(listed, func(gpu int32) bool { return !e.areHere([]int32{gpu}) })
	switch {
	case len(e.facts.GPUs) > 0:
		return fmt.Sprintf("KIND_AUTO means the CPU where a GPU of its list is missing: GPU %d", listed[missing])
	case e.facts.NoGPUs == "":
	case len(listed) == 0:
		return e.meansHere() + ". In Triton, each GPU of its machine has the group's instances"
	default:
		return e.meansHere()
	}
	return "KIND_AUTO means the CPU where no GPU is known"
}

// meansHere says what KIND_AUTO means where no GPU is used, and why.
func (e *completion) meansHere() string {
	if e.facts.Adapter != "" {
		return fmt.Sprintf("KIND_AUTO means KIND_CPU here, which runs by %s: %s", e.facts.Adapter, e.facts.NoGPUs)
	}
	return "KIND_AUTO means the CPU here: " + e.facts.NoGPUs
}

// canUse reports whether there are GPUs at all and all the listed ones are among them.
func (e *completion) canUse(listed []int32) bool {
	for _, gpu := range listed {
		if !slices.Contains(e.facts.GPUs, gpu) {
			return false
		}
	}
	return len(e.facts.GPUs) > 0
}

func (e *completion) normalizeCount(i int, group *modelconfig.ModelInstanceGroup) {
	if group.Count >= 1 {
		return
	}
	group.Count = 1
	reason := "one instance unless a count is given"
	onCPU := group.Kind == modelconfig.ModelInstanceGroup_KIND_CPU
	if n := backends.Named(e.cfg.Backend).InstancesOnCPU; onCPU && n > 0 {
		group.Count = n
		reason = "two instances on the CPU for " + e.cfg.Backend + " unless a count is given"
	}
	e.note(reason, "instance_group", i, "count")
}
