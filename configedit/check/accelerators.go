package check

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// tensorRTParameters are the names of what the tensorrt accelerator of onnxruntime takes.
var tensorRTParameters = slices.Sorted(maps.Keys(backends.TensorRTParameters))

// precisions are the values of the tensorrt accelerator's precision_mode.
var precisions = []string{"FP32", "FP16", "BF16", "INT8"}

// wholeNumber and booleans are what Triton's backends take; of a number the beginning counts.
var (
	wholeNumber = regexp.MustCompile(`^\s*[+-]?[0-9]+`)
	booleans    = []string{"true", "on", "1", "false", "off", "0"}
)

// accelerators checks execution accelerators.
type accelerators struct {
	*checker
	use gpuUse
}

// gpuUse reports whether instances of a model run on a GPU.
type gpuUse int

const (
	never   gpuUse = iota
	perhaps        // by what the machine has
	surely
)

// onGPU finds out whether an instance runs on a GPU. A group of KIND_GPU loads nowhere else.
func onGPU(c *checker) gpuUse {
	if c.m.Facts.Counted && len(c.m.Facts.GPUs) == 0 {
		return never
	}
	written := groups{c}.written()
	if len(written) == 0 { // Triton makes one
		written = []*modelconfig.ModelInstanceGroup{{Kind: modelconfig.ModelInstanceGroup_KIND_AUTO}}
	}
	use := never
	for _, group := range written {
		switch {
		case group.Kind == modelconfig.ModelInstanceGroup_KIND_GPU:
			return surely
		case group.Kind == modelconfig.ModelInstanceGroup_KIND_AUTO && c.m.Facts.Counted:
			return surely
		case group.Kind == modelconfig.ModelInstanceGroup_KIND_AUTO:
			use = perhaps
		}
	}
	return use
}

// unused says that nothing looks at what is wrong; "" where something does, or may.
func (c accelerators) unused() string {
	if c.use == never {
		return "; no instance of the model runs on a GPU, so nothing looks at it"
	}
	return ""
}

// judged reports a finding as an error where an instance runs on a GPU, and as one that Triton takes where none does.
func (c accelerators) judged(f finding) {
	switch c.use {
	case surely:
		f.sure, f.stage = true, rule.Instance
	case never:
		f.taken, f.unsaid = true, true
	}
	c.report(f)
}

// checkAccelerators: ACC1 to ACC3. An instance on the CPU never looks at these. ORT12 covers what every instance refuses.
func checkAccelerators(base *checker) {
	c := accelerators{base, onGPU(base)}
	known := backends.Named(c.cfg.GetBackend()).GPUAccelerators
	for i, a := range c.cfg.GetOptimization().GetExecutionAccelerators().GetGpuExecutionAccelerator() {
		path := []any{"optimization", "execution_accelerators", "gpu_execution_accelerator", i}
		switch {
		case known == nil || c.spoiled(path...) || c.full():
		case !slices.Contains(known, a.Name):
			c.unknownAccelerator(append(path, "name"), a.Name, known)
		case c.cfg.GetBackend() == backends.ONNXRuntime && a.Name == "tensorrt":
			c.acceleratorParameters(path, a)
		}
	}
}

// IdleAccelerators returns what ACC1 to ACC3 find in a config without an instance on a GPU. Nothing refuses it there.
func IdleAccelerators(cfg *modelconfig.ModelConfig) []diag.Diagnostic {
	noGPUs := derive.Facts{ModelName: cfg.GetName(), Counted: true}
	c := newChecker(&Model{Name: cfg.GetName(), Effective: cfg, Facts: noGPUs}, nil, newShared())
	checkAccelerators(c)
	return c.sorted()
}

// unknownAccelerator: ACC1.
func (c accelerators) unknownAccelerator(path []any, name string, known []string) {
	better := guess(name, known)
	tail, fixes := didYouMean(name, better, c.span(path...), text.Quote(better))
	c.judged(finding{
		rule: rule.ACC1, span: c.span(path...), args: values(name),
		message: say("no accelerator for GPUs is called %q; there are %s", name, quotedList(known)) + c.unused() + tail,
		fixes:   fixes,
	})
}

// acceleratorParameters: ACC2.
func (c accelerators) acceleratorParameters(path []any, a *modelconfig.ModelOptimizationPolicy_ExecutionAccelerators_Accelerator) {
	for _, key := range slices.Sorted(maps.Keys(a.Parameters)) {
		if slices.Contains(tensorRTParameters, key) {
			c.acceleratorValue(append(slices.Clone(path), "parameters", key, "value"), key, a.Parameters[key])
			continue
		}
		at := append(slices.Clone(path), "parameters", key, "key")
		better := guess(key, tensorRTParameters)
		tail, fixes := didYouMean(key, better, c.span(at...), text.Quote(better))
		c.judged(finding{
			rule: rule.ACC2, span: c.span(at...), args: values(key),
			message: say("the tensorrt accelerator knows no parameter %q, which a GPU refuses", key) + c.unused() + tail,
			fixes:   fixes,
		})
	}
}

// acceleratorValue: ACC3.
func (c accelerators) acceleratorValue(path []any, key, value string) {
	d := finding{rule: rule.ACC3, span: c.span(path...), args: values(value)}
	switch {
	case key == "precision_mode" && !slices.Contains(precisions, value):
		d.unsaid, d.message = true, say("precision_mode is %q; it is %s, and a GPU refuses others", value, orList(precisions))
		if better := guess(value, precisions); better != "" {
			d.fixes = replace(say("replace %s by %s", value, better), d.span, text.Quote(better))
		}
	case key == "max_workspace_size_bytes" && (value == "" || value[0] < '0' || value[0] > '9'):
		d.message = say("max_workspace_size_bytes is %q; it is a number of bytes", value)
	case backends.TensorRTParameters[key] == backends.Number && !wholeNumber.MatchString(value):
		d.unsaid, d.message = true, say("%s is %q; it is a whole number, and a GPU refuses others", key, value)
	case backends.TensorRTParameters[key] == backends.Flag && !slices.Contains(booleans, strings.ToLower(value)):
		d.unsaid, d.message = true, say("%s is %q; it is %s, and a GPU refuses others", key, value, orList(booleans))
	default:
		return
	}
	d.message += c.unused()
	c.judged(d)
}
