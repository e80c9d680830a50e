package check

import (
	"maps"
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/rule"
	"conch/configedit/text"
)

// checkParameters: PAR1, keys that the backend does not read, and values that it refuses.
func (c *checker) checkParameters() {
	known := Parameters(c.cfg.GetBackend())
	if known == nil || c.isEnsemble() {
		return
	}
	keys := make([]string, len(known))
	for i, p := range known {
		keys[i] = p.Key
	}
	for _, key := range slices.Sorted(maps.Keys(c.cfg.GetParameters())) {
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

// unknownParameter: PAR1. A Python model may read any key itself, so that there only what looks misspelt is told.
func (c *checker) unknownParameter(key string, known []string) {
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
	c.add(rule.Never, diag.Diagnostic{
		Severity: diag.Warning, Code: "PAR1", Span: c.span(path...),
		Message: say("backend %q does not read a parameter %q", c.cfg.GetBackend(), key) + tail, Fixes: fixes,
	})
}

// judged are backends whose values other rules hold against what the backend says: PY2, TRT1, ORT12, PT11.
var judged = []string{backends.Python, backends.PyTorch}

// judgedKeys are those keys of the others that have rules of their own.
var judgedKeys = []string{"execution_context_allocation_strategy", "execution_mode", "enable_mem_arena", "enable_mem_pattern"}

// parameterValues: PAR2, values that are none of those that a key takes.
func (c *checker) parameterValues(known []Parameter) {
	if slices.Contains(judged, c.cfg.GetBackend()) {
		return
	}
	for _, p := range known {
		given, ok := c.cfg.GetParameters()[p.Key]
		value := given.GetStringValue()
		if !ok || p.Values == nil || slices.Contains(p.Values, value) || slices.Contains(judgedKeys, p.Key) || c.spoiled("parameters", p.Key) {
			continue
		}
		path := []any{"parameters", p.Key, "string_value"}
		d := diag.Diagnostic{
			Severity: diag.Warning, Code: "PAR2", Span: c.span(path...),
			Message: say("%s is %q; backend %q takes %s", p.Key, value, c.cfg.GetBackend(), orList(p.Values)),
		}
		if better := guess(value, p.Values); better != "" && c.has(path...) {
			d.Fixes = replace(say("replace %s by %s", value, better), d.Span, text.Quote(better))
		}
		c.add(rule.Never, d)
	}
}

// orList writes words as a choice: STATIC, DYNAMIC or NONE.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// readByOthers are keys for programs beside Triton.
var readByOthers = []string{"executor_worker_path", "metadata", "client_config"}

// pythonParameters: PY2, and L14 for an environment in the model's own folder.
func (c *checker) pythonParameters() {
	value := func(key string) (string, bool) {
		p, ok := c.cfg.GetParameters()[key]
		return p.GetStringValue(), ok && !c.spoiled("parameters", key)
	}
	report := func(code, key, message, sentence string, status rule.Status) {
		c.keep(kept{stage: rule.Instance, status: status, Diagnostic: diag.Diagnostic{
			Code: code, Span: c.span("parameters", key, "string_value"), Message: message, Triton: sentence,
		}})
	}
	const environment, onCPU = "EXECUTION_ENV_PATH", "FORCE_CPU_ONLY_INPUT_TENSORS"
	const here = "$$TRITON_MODEL_DIRECTORY/"
	if v, ok := value(environment); ok && strings.HasPrefix(v, here) && c.m.Folder != nil && !c.m.Folder.hasFile(strings.TrimPrefix(v, here)) {
		rel := strings.TrimPrefix(v, here)
		report("L14", environment, say("the model's folder holds no environment %q", rel),
			triton("Failed to get the canonical path for %s.", c.place(rel)), rule.Internal)
	}
	if v, ok := value(onCPU); ok && !slices.Contains(yesNo, v) {
		report("PY2", onCPU, say("%s is %q; it is yes or no, in small letters", onCPU, v),
			triton("Incorrect value for FORCE_CPU_ONLY_INPUT_TENSORS: %s'", v), rule.Unsupported)
	}
}

// allocation: TRT1.
func (c *checker) allocation() {
	const key = "execution_context_allocation_strategy"
	p, ok := c.cfg.GetParameters()[key]
	if !ok || p.GetStringValue() == "STATIC" || p.GetStringValue() == "ON_PROFILE_CHANGE" || c.spoiled("parameters", key) {
		return
	}
	c.add(rule.Instance, diag.Diagnostic{
		Code: "TRT1", Span: c.span("parameters", key, "string_value"),
		Message: say("%s is %q; it is STATIC or ON_PROFILE_CHANGE", key, p.GetStringValue()),
		Triton:  triton("Invalid value for '%s': '%s' for model instance '%s_0'.", key, p.GetStringValue(), c.cfg.GetName()),
	})
}

// optionValue says what a value that a backend cannot read should be: PT11 and ORT12.
func (c *checker) optionValue(p *derive.Problem, d *diag.Diagnostic) {
	key := p.Path[1].(string)
	value := c.cfg.GetParameters()[key].GetStringValue()
	d.Span = c.span("parameters", key, "string_value")
	switch {
	case strings.HasSuffix(p.Triton, "boolean"):
		d.Message = say("%s is %q; it is true or false", key, value)
	case key == "execution_mode":
		d.Message = say("%s is %q; it is 0 or 1", key, value)
	default:
		d.Message = say("%s is %q; it is a number", key, value)
	}
}

// onnxOption: a value that the backend cannot read, or an accelerator for CPUs that it has not.
func (c *checker) onnxOption(p *derive.Problem, d *diag.Diagnostic) bool {
	if p.Path[0] == "parameters" {
		c.optionValue(p, d)
		return true
	}
	known := backends.Named(backends.ONNXRuntime).CPUAccelerators
	i, _ := p.Path[3].(int)
	name := c.cfg.GetOptimization().GetExecutionAccelerators().GetCpuExecutionAccelerator()[i].GetName()
	better := guess(name, known)
	tail, fixes := didYouMean(name, better, d.Span, text.Quote(better))
	d.Message = say("no accelerator for CPUs is called %q; there is %s", name, quotedList(known)) + tail
	if slices.Contains(backends.Named(backends.ONNXRuntime).GPUAccelerators, name) {
		d.Message = say("%q is an accelerator for GPUs: it belongs into gpu_execution_accelerator", name)
	}
	d.Fixes = fixes
	return true
}
