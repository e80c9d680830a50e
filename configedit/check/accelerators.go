package check

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"conch/configedit/backends"
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
type accelerators struct{ *checker }

// checkAccelerators: ACC1 to ACC3. An instance on the CPU never looks at these, so they are warnings. ORT12 covers
// what every instance refuses.
func checkAccelerators(base *checker) {
	c := accelerators{base}
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

// unknownAccelerator: ACC1.
func (c accelerators) unknownAccelerator(path []any, name string, known []string) {
	better := guess(name, known)
	tail, fixes := didYouMean(name, better, c.span(path...), text.Quote(better))
	c.report(finding{
		rule: rule.ACC1, span: c.span(path...), args: values(name),
		message: say("no accelerator for GPUs is called %q; there are %s", name, quotedList(known)) + tail,
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
		c.report(finding{
			rule: rule.ACC2, span: c.span(at...), args: values(key),
			message: say("the tensorrt accelerator knows no parameter %q, which it refuses on a GPU", key) + tail,
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
	c.report(d)
}
