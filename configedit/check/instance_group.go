package check

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// groups checks instance groups.
type groups struct{ *checker }

// checkInstanceGroups: IG2, IG4, IG6 for numbers that no GPU has or few have, and IG7 to IG11. Problems that depend on the
// GPUs of the machine are mistakes of a config where the machine is known.
func checkInstanceGroups(base *checker) {
	c := groups{base}
	if c.isEnsemble() {
		return
	}
	written := c.written()
	for i, group := range c.cfg.GetInstanceGroup() {
		if i >= len(written) || c.full() {
			break
		}
		switch kind := written[i].Kind; {
		case kind == modelconfig.ModelInstanceGroup_KIND_MODEL && len(group.Gpus) > 0:
			c.needlessGPUs(rule.IG2, i, kind)
		case kind == modelconfig.ModelInstanceGroup_KIND_CPU && len(group.Gpus) > 0:
			c.needlessGPUs(rule.IG7, i, kind)
		case kind == modelconfig.ModelInstanceGroup_KIND_GPU:
			c.onGPUs(i, group)
		case kind == modelconfig.ModelInstanceGroup_KIND_AUTO:
			c.automatic(i, group)
		case modelconfig.ModelInstanceGroup_Kind_name[int32(kind)] == "":
			c.report(finding{
				rule: rule.IG8, span: c.span("instance_group", i, "kind"), args: values(group.Name, c.cfg.GetName()),
				message: say("there is no kind of group with the number %d", kind),
			})
		}
		c.profiles(i, group)
	}
	c.offGPUs(written)
}

// offGPUs: IG11 for groups, or a model without any, of a backend that runs on GPUs alone. Triton makes KIND_AUTO one of KIND_CPU where there is no GPU.
func (c groups) offGPUs(written []*modelconfig.ModelInstanceGroup) {
	needs := backends.Named(c.cfg.GetBackend()).GPUsAlone()
	if needs == "" {
		return
	}
	none := c.m.Facts.Counted && len(c.m.Facts.GPUs) == 0
	if none && len(written) == 0 {
		c.report(finding{rule: rule.IG11, span: c.top(), args: values(c.cfg.GetName()), message: "the machine has no GPU; " + needs})
	}
	for i, group := range written {
		if c.full() {
			return
		}
		f := finding{rule: rule.IG11, span: c.name("instance_group", i), args: values(c.cfg.GetName())}
		if c.has("instance_group", i, "kind") {
			f.span = c.span("instance_group", i, "kind")
		}
		switch kind := group.Kind; {
		case len(group.Gpus) > 0: // another rule judges the list
			continue
		case kind == modelconfig.ModelInstanceGroup_KIND_CPU, kind == modelconfig.ModelInstanceGroup_KIND_MODEL:
			f.message = say("a group of kind %s has no GPU; %s", kind, needs)
			f.fixes = replace(say("replace %s by KIND_GPU", kind), f.span, "KIND_GPU")
		case kind == modelconfig.ModelInstanceGroup_KIND_AUTO && none:
			f.message = "the group needs a GPU, and the machine has none; " + needs
		default:
			continue
		}
		c.report(f)
	}
}

// onGPUs: IG4 and IG6 for a group of KIND_GPU.
func (c groups) onGPUs(i int, group *modelconfig.ModelInstanceGroup) {
	below := slices.IndexFunc(group.Gpus, negative)
	missing := slices.IndexFunc(group.Gpus, c.missing)
	switch {
	case below >= 0:
		c.wrongGPU(i, below, say("GPUs are numbered from 0, and this one is %d", group.Gpus[below]))
	case c.m.Facts.Counted && len(group.Gpus) == 0:
		c.report(finding{
			rule: rule.IG4, span: c.span("instance_group", i, "kind"), args: values(group.Name, c.cfg.GetName()),
			message: "the group needs a GPU, and the machine has none" + c.alone(),
		})
	case missing >= 0:
		c.wrongGPU(i, missing, say("the machine has no GPU %d; it has %s", group.Gpus[missing], c.there())+c.alone())
	case !c.m.Completed && !c.m.Facts.Counted && slices.ContainsFunc(group.Gpus, rare):
		c.rareGPU(i, slices.IndexFunc(group.Gpus, rare))
	}
}

// alone says, where the machine has no GPU, that no other device takes its place.
func (c groups) alone() string {
	if text := backends.Named(c.cfg.GetBackend()).GPUsAlone(); text != "" && len(c.m.Facts.GPUs) == 0 {
		return "; " + text
	}
	return ""
}

// automatic: IG7 for a group of KIND_AUTO whose list has numbers below zero, or GPUs that the machine lacks. Triton makes it KIND_CPU then.
func (c groups) automatic(i int, group *modelconfig.ModelInstanceGroup) {
	message, at := "", slices.IndexFunc(group.Gpus, negative)
	if at >= 0 {
		message = say("GPUs are numbered from 0, and this one is %d, so Triton makes the group KIND_CPU, which may list none", group.Gpus[at])
	} else if at = slices.IndexFunc(group.Gpus, c.missing); at >= 0 {
		message = say("the machine has no GPU %d, so Triton makes the group KIND_CPU, which may list none; the machine has %s", group.Gpus[at], c.there())
	} else {
		return
	}
	c.report(finding{rule: rule.IG7, span: c.span("instance_group", i, "gpus", at), args: values(group.Name, c.cfg.GetName()), message: message})
}

func negative(gpu int32) bool { return gpu < 0 }

// missing reports whether the machine is known to lack a GPU.
func (c groups) missing(gpu int32) bool {
	return c.m.Facts.Counted && !slices.Contains(c.m.Facts.GPUs, gpu)
}

// there tells the GPUs of the machine.
func (c groups) there() string {
	switch n := len(c.m.Facts.GPUs); n {
	case 0:
		return "none"
	case 1:
		return "GPU 0"
	default:
		return say("GPU 0 to GPU %d", n-1)
	}
}

func (c groups) wrongGPU(i, at int, message string) {
	c.report(finding{rule: rule.IG6, span: c.span("instance_group", i, "gpus", at), args: c.unsupported(i, at), message: message})
}

// leastCapability is the compute capability that a GPU must have where a server has no flag for it (docs/triton/validation.md, "Instance groups").
const leastCapability = 6.0

// unsupported are the values of IG6: a group, a GPU of its list, and those that the machine has; … where the machine is not known.
func (c groups) unsupported(i, at int) []any {
	group, there := c.cfg.GetInstanceGroup()[i], "…"
	if c.m.Facts.Counted {
		there = strings.Join(texts(c.m.Facts.GPUs), ", ")
	}
	return values(group.Name, c.cfg.GetName(), group.Gpus[at], leastCapability, there)
}

func texts(numbers []int32) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = strconv.Itoa(int(n))
	}
	return list
}

// written returns the groups as the text has them: a KIND_AUTO that became another kind because there is no GPU is not a
// mistake. If a backend completed the config, it knows the machine, and its kinds count.
func (c groups) written() []*modelconfig.ModelInstanceGroup {
	switch {
	case c.m.Completed:
		return c.cfg.GetInstanceGroup()
	case c.m.Decoded == nil:
		return nil
	}
	return c.m.Decoded.Config.GetInstanceGroup()
}

// mostGPUs is the largest number of GPUs in a machine that one can buy.
const mostGPUs = 16

func rare(gpu int32) bool { return gpu >= mostGPUs }

// rareGPU: IG6 for a number that few machines have.
func (c groups) rareGPU(i, at int) {
	group := c.cfg.GetInstanceGroup()[i]
	c.report(finding{
		rule: rule.IG6, span: c.span("instance_group", i, "gpus", at), perhaps: true,
		args:    c.unsupported(i, at),
		message: say("this is GPU %d, and a machine with %d GPUs is rare; Triton refuses the model on any other", group.Gpus[at], int64(group.Gpus[at])+1),
	})
}

func (c groups) needlessGPUs(r *rule.Rule, i int, kind modelconfig.ModelInstanceGroup_Kind) {
	fixes := c.remove("remove gpus", "instance_group", i, "gpus")
	if c.has("instance_group", i, "kind") {
		fixes = append(replace(say("replace %s by KIND_GPU", kind), c.span("instance_group", i, "kind"), "KIND_GPU"), fixes...)
	}
	c.report(finding{
		rule: r, span: c.span("instance_group", i, "gpus"), args: values(c.cfg.InstanceGroup[i].Name, c.cfg.GetName()),
		message: say("a group of kind %s uses no GPUs, and this one lists some", kind), fixes: fixes,
	})
}

// profiles: IG9 and IG10.
func (c groups) profiles(i int, group *modelconfig.ModelInstanceGroup) {
	platform := c.cfg.GetPlatform()
	if c.undecided() { // it may be a plan
		return
	}
	if len(group.Profile) > 0 && platform != backends.TensorRTPlan.Platform {
		c.report(finding{
			rule: rule.IG9, span: c.name("instance_group", i, "profile"),
			args: values(group.Name, c.cfg.GetName(), platform), message: "profiles are for TensorRT models only",
			fixes: c.remove("remove profile", "instance_group", i, "profile"),
		})
		return
	}
	for j, profile := range group.Profile {
		number, err := strconv.Atoi(strings.TrimSpace(profile))
		if err == nil && number >= 0 {
			continue
		}
		f := finding{
			rule: rule.IG10, span: c.span("instance_group", i, "profile", j),
			args:    values(group.Name, c.cfg.GetName(), profile),
			message: say("a profile is the number of an optimization profile, such as \"0\", and not %q", profile),
		}
		switch {
		case profile == "":
			f.also, f.args = 1, nil
		case err != nil:
			f.also, f.args = 2, values(profile)
		}
		c.report(f)
	}
}
