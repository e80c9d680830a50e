package check

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// parameterCheck checks keys and values of parameters.
type parameterCheck struct{ *checker }

// checkParameters: PAR1, keys that the backend does not read, and values that it refuses.
func checkParameters(base *checker) {
	c := parameterCheck{base}
	known := Parameters(c.cfg.GetBackend())
	if known == nil || c.isEnsemble() {
		return
	}
	keys := make([]string, len(known))
	for i, p := range known {
		keys[i] = p.Key
	}
	for _, key := range c.inOrder(slices.Sorted(maps.Keys(c.cfg.GetParameters()))) {
		if !slices.Contains(keys, key) && !c.full() {
			c.unknownParameter(key, keys)
		}
	}
	c.parameterValues(known)
	switch c.cfg.GetBackend() {
	case backends.Python:
		c.pythonParameters()
	case backends.TensorRT:
		c.allocation()
	}
}

// inOrder sorts keys by where they are in the text, so that the first are said where there are too many.
func (c parameterCheck) inOrder(keys []string) []string {
	slices.SortStableFunc(keys, func(a, b string) int {
		return cmp.Compare(c.span("parameters", a, "key").Start, c.span("parameters", b, "key").Start)
	})
	return keys
}

// unknownParameter: PAR1. A Python model may read any key itself, so only keys that look misspelt are reported there.
func (c parameterCheck) unknownParameter(key string, known []string) {
	path := []any{"parameters", key, "key"}
	better := guess(key, known)
	own := c.cfg.GetBackend() == backends.Python || c.cfg.GetRuntime() == backends.PythonRuntime
	if c.spoiled("parameters", key) || own && better == "" || !c.has(path...) || slices.Contains(readByOthers, key) {
		return
	}
	tail, fixes := didYouMean(key, better, c.span(path...), text.Quote(better))
	if _, taken := c.cfg.GetParameters()[better]; taken {
		tail, fixes = "", nil
	}
	if own && tail == "" {
		return
	}
	c.report(finding{
		rule: rule.PAR1, span: c.span(path...),
		message: say("backend %q does not read a parameter %q", c.cfg.GetBackend(), key) + tail, fixes: fixes,
	})
}

// judged are backends whose values are checked by other rules: PY2, TRT1, ORT12, PT11.
var judged = []string{backends.Python, backends.PyTorch}

// judgedKeys are the keys of other backends that have rules of their own.
var judgedKeys = []string{"execution_context_allocation_strategy", "execution_mode", "enable_mem_arena", "enable_mem_pattern"}

// same compares a value with one that a key takes. The openvino backend does not tell capitals from small letters.
func (c parameterCheck) same(value string) func(string) bool {
	return func(taken string) bool {
		return taken == value || c.cfg.GetBackend() == backends.OpenVINO && strings.EqualFold(taken, value)
	}
}

// parameterValues: PAR2, values that a key does not take.
func (c parameterCheck) parameterValues(known []Parameter) {
	if slices.Contains(judged, c.cfg.GetBackend()) {
		return
	}
	for _, p := range known {
		given, ok := c.cfg.GetParameters()[p.Key]
		value := given.GetStringValue()
		if !ok || p.Values == nil || slices.ContainsFunc(p.Values, c.same(value)) || slices.Contains(judgedKeys, p.Key) || c.spoiled("parameters", p.Key) {
			continue
		}
		path := []any{"parameters", p.Key, "string_value"}
		d := finding{
			rule: rule.PAR2, span: c.span(path...),
			message: say("%s is %q; backend %q takes %s", p.Key, value, c.cfg.GetBackend(), orList(p.Values)),
		}
		if better := guess(value, p.Values); better != "" && c.has(path...) {
			d.fixes = replace(say("replace %s by %s", value, better), d.span, text.Quote(better))
		}
		c.report(d)
	}
}

// orList writes words as a choice: STATIC, DYNAMIC or NONE.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// readByOthers are keys that other programs than Triton read.
var readByOthers = []string{"executor_worker_path", "metadata", "client_config"}

// pythonParameters: PY2, and L14 for an environment in the model's own folder.
func (c parameterCheck) pythonParameters() {
	value := func(key string) (string, bool) {
		p, ok := c.cfg.GetParameters()[key]
		return p.GetStringValue(), ok && !c.spoiled("parameters", key)
	}
	report := func(r *rule.Rule, key, message string, arg string) {
		c.report(finding{
			rule: r, span: c.span("parameters", key, "string_value"), message: message, args: values(arg),
		})
	}
	const environment, onCPU = "EXECUTION_ENV_PATH", "FORCE_CPU_ONLY_INPUT_TENSORS"
	const here = "$$TRITON_MODEL_DIRECTORY/"
	if v, ok := value(environment); ok && strings.HasPrefix(v, here) && c.m.Folder != nil && !c.m.Folder.hasFile(strings.TrimPrefix(v, here)) {
		rel := strings.TrimPrefix(v, here)
		report(rule.L14, environment, say("the model's folder holds no environment %q", rel), c.place(rel))
	}
	if v, ok := value(onCPU); ok && !slices.Contains(yesNo, v) {
		report(rule.PY2, onCPU, say("%s is %q; it is yes or no, in lower case", onCPU, v), v)
	}
}

// allocation: TRT1.
func (c parameterCheck) allocation() {
	const key = "execution_context_allocation_strategy"
	p, ok := c.cfg.GetParameters()[key]
	if !ok || p.GetStringValue() == "STATIC" || p.GetStringValue() == "ON_PROFILE_CHANGE" || c.spoiled("parameters", key) {
		return
	}
	c.report(finding{
		rule: rule.TRT1, span: c.span("parameters", key, "string_value"),
		args:    values(key, p.GetStringValue(), c.cfg.GetName()),
		message: say("%s is %q; it is STATIC or ON_PROFILE_CHANGE", key, p.GetStringValue()),
	})
}

// optionValue words a finding about a value that a backend cannot read: PT11 and ORT12.
func (c onnxCheck) optionValue(p *derive.Problem, d *finding) {
	key := p.Path[1].(string)
	value := c.cfg.GetParameters()[key].GetStringValue()
	d.span = c.span("parameters", key, "string_value")
	switch {
	case strings.HasSuffix(p.Triton, "boolean"):
		d.message = say("%s is %q; it is true or false", key, value)
	case key == "execution_mode":
		d.message = say("%s is %q; it is 0 or 1", key, value)
	default:
		d.message = say("%s is %q; it is a number", key, value)
	}
}

// onnxOption: a value that the backend cannot read, or an accelerator for CPUs that it does not have.
func (c onnxCheck) onnxOption(p *derive.Problem, d *finding) bool {
	if p.Path[0] == "parameters" {
		c.optionValue(p, d)
		return true
	}
	known := backends.Named(backends.ONNXRuntime).CPUAccelerators
	i, _ := p.Path[3].(int)
	name := c.cfg.GetOptimization().GetExecutionAccelerators().GetCpuExecutionAccelerator()[i].GetName()
	if c.m.Workbench && slices.Contains(backends.Named(backends.ONNXRuntime).OwnAccelerators, name) {
		d.perhaps, d.message = true, say("%q is an accelerator of Conch alone, which runs the model with it where it can; Triton refuses the model", name)
		return true
	}
	better := guess(name, known)
	tail, fixes := didYouMean(name, better, d.span, text.Quote(better))
	d.message = say("no accelerator for CPUs is called %q; there is %s", name, quotedList(known)) + tail
	if slices.Contains(backends.Named(backends.ONNXRuntime).GPUAccelerators, name) {
		d.message = say("%q is an accelerator for GPUs: it belongs in gpu_execution_accelerator", name)
	}
	d.fixes = fixes
	return true
}
