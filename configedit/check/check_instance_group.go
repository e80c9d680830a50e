package check

import (
	"slices"
	"strconv"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
)

// checkInstanceGroups: IG2, IG6 for numbers that no GPU has, and IG7 to IG10. What depends on the GPUs of the machine is not a config's mistake.
func (c *checker) checkInstanceGroups() {
	if c.isEnsemble() || c.m.Decoded == nil {
		return
	}
	written := c.m.Decoded.Config.GetInstanceGroup()
	for i, group := range c.cfg.GetInstanceGroup() {
		if i >= len(written) || c.full() {
			return
		}
		of := triton("instance group %s of model %s ", group.Name, c.cfg.GetName())
		switch kind := written[i].Kind; {
		case kind == modelconfig.ModelInstanceGroup_KIND_MODEL && len(group.Gpus) > 0:
			c.needlessGPUs("IG2", i, kind, of+"has kind KIND_MODEL but specifies one or more GPUs")
		case kind == modelconfig.ModelInstanceGroup_KIND_CPU && len(group.Gpus) > 0:
			c.needlessGPUs("IG7", i, kind, of+"has kind KIND_CPU but specifies one or more GPUs")
		case kind == modelconfig.ModelInstanceGroup_KIND_GPU && slices.ContainsFunc(group.Gpus, func(g int32) bool { return g < 0 }):
			at := slices.IndexFunc(group.Gpus, func(g int32) bool { return g < 0 })
			c.add(rule.Groups, diag.Diagnostic{
				Code: "IG6", Span: c.span("instance_group", i, "gpus", at), Message: say("GPUs are numbered from 0, and this one is %d", group.Gpus[at]),
				Triton: of + triton("specifies invalid or unsupported gpu id %d. GPUs with at least the minimum required CUDA compute compatibility", group.Gpus[at]),
			})
		case modelconfig.ModelInstanceGroup_Kind_name[int32(kind)] == "":
			c.add(rule.Groups, diag.Diagnostic{
				Code: "IG8", Span: c.span("instance_group", i, "kind"), Message: say("there is no kind of group with the number %d", kind),
				Triton: of + "has unexpected kind KIND_AUTO",
			})
		}
		c.profiles(i, group, of)
	}
}

func (c *checker) needlessGPUs(code string, i int, kind modelconfig.ModelInstanceGroup_Kind, sentence string) {
	fixes := c.remove("remove gpus", "instance_group", i, "gpus")
	if c.has("instance_group", i, "kind") {
		fixes = append(replace(say("replace %s by KIND_GPU", kind), c.span("instance_group", i, "kind"), "KIND_GPU"), fixes...)
	}
	c.add(rule.Groups, diag.Diagnostic{
		Code: code, Span: c.span("instance_group", i, "gpus"), Message: say("a group of kind %s uses no GPUs, and this one lists some", kind),
		Triton: sentence, Fixes: fixes,
	})
}

// profiles: IG9 and IG10.
func (c *checker) profiles(i int, group *modelconfig.ModelInstanceGroup, of string) {
	platform := c.cfg.GetPlatform()
	if len(group.Profile) > 0 && platform != backends.TensorRTPlan.Platform {
		c.add(rule.Groups, diag.Diagnostic{
			Code: "IG9", Span: c.name("instance_group", i, "profile"), Message: "profiles are for TensorRT models only",
			Triton: of + triton("and platform %sspecifies profile field which is only supported for TensorRT models", platform),
			Fixes:  c.remove("remove profile", "instance_group", i, "profile"),
		})
		return
	}
	for j, profile := range group.Profile {
		number, err := strconv.Atoi(strings.TrimSpace(profile))
		if err == nil && number >= 0 {
			continue
		}
		sentence := of + triton("specifies invalid profile %s. The field should contain the string representation of a non-negative integer.", profile)
		switch {
		case profile == "":
			sentence = "profile name must not be empty"
		case err != nil:
			sentence = triton("unable to parse '%s': stoi", profile)
		}
		c.add(rule.Groups, diag.Diagnostic{
			Code: "IG10", Span: c.span("instance_group", i, "profile", j),
			Message: say("a profile is the number of an optimization profile, such as \"0\", and not %q", profile), Triton: sentence,
		})
	}
}
