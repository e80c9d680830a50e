package check

import (
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/rule"
)

// backendFolder is where Triton's containers keep backends.
const backendFolder = "/opt/tritonserver/backends"

// checkNoConfig: L6, a model without a config whose backend fills none in, and CFG1, one where none may.
func (c *checker) checkNoConfig() {
	if c.m.Folder == nil {
		return
	}
	if c.m.Decoded == nil && !c.m.Facts.AutoComplete {
		c.add(rule.Fill, diag.Diagnostic{
			Code: "CFG1", Message: "the model has no config.pbtxt, and with --disable-auto-complete-config every model needs one",
			Triton: triton("failed to open text file for read %s: No such file or directory", c.place("config.pbtxt")),
		})
		return
	}
	if c.m.Decoded != nil || c.m.Problem != nil || backends.Named(c.cfg.GetBackend()).Completes != backends.Never {
		return
	}
	c.keep(kept{stage: rule.Complete, status: rule.NotFound, Diagnostic: diag.Diagnostic{
		Code: "L6", Message: say("the model has no config.pbtxt, and backend %q does not make one from the model file", c.cfg.GetBackend()),
		Triton: triton("model configuration is not provided for model '%s'", c.m.Name),
	}})
}

// checkRuntime: L11 and L13, the library that a config names for its backend.
func (c *checker) checkRuntime() {
	runtime, backend := c.cfg.GetRuntime(), c.cfg.GetBackend()
	if runtime == "" || backend == "" || c.isEnsemble() {
		return
	}
	d := diag.Diagnostic{Span: c.span("runtime")}
	switch {
	case runtime == backends.PythonRuntime && backends.Named(backend).Library:
		d.Code, d.Message = "L13", say("backend %q is a library and no Python program, so that there is no %s to run it", backend, runtime)
		d.Triton = triton("unable to find Python backend based backend library '%s' for model '%s', searched: '%s/%s/%s'",
			runtime, c.cfg.GetName(), backendFolder, backend, runtime)
		d.Fixes = c.remove("remove runtime", "runtime")
		c.add(rule.Backend, d)
	case runtime == backends.PythonRuntime || runtime == "libtriton_"+backend+".so" || c.brings(runtime):
	case backends.Known(backend):
		d.Severity, d.Code = diag.Warning, "L11"
		d.Message = say("backend %q is the library libtriton_%s.so, and the model brings no %s of its own", backend, backend, runtime)
		d.Triton = triton("unable to find backend library '%s' for model '%s', searched: '%s' '%s' '%s/%s' ",
			runtime, c.cfg.GetName(), c.place(say("%d", newest(c.m))), strings.TrimSuffix(c.place(""), "/"), backendFolder, backend)
		c.add(rule.Never, d)
	}
}

// brings tells whether a library lies in the model's folder or in that of its newest version.
func (c *checker) brings(library string) bool {
	return c.m.Folder == nil || c.m.Folder.hasFile(library) || c.m.Folder.hasFile(say("%d/%s", newest(c.m), library))
}

// checkOptional: L24.
func (c *checker) checkOptional() {
	if !backends.Named(c.cfg.GetBackend()).RefusesOptional {
		return
	}
	for i, in := range c.cfg.GetInput() {
		if in.Optional && !c.full() {
			c.add(rule.Instance, diag.Diagnostic{
				Code: "L24", Span: c.span("input", i, "optional"), Message: say("backend %q takes no optional inputs", c.cfg.GetBackend()),
				Triton: triton("'optional' is set to true for input '%s' while the backend model doesn't support optional input", in.Name),
				Fixes:  replace("replace the value by false", c.span("input", i, "optional"), "false"),
			})
		}
	}
}

// className is what a Python model has to define.
const className = "TritonPythonModel"

// maxPython bounds what is read of a model.py.
const maxPython = 4 << 20

// checkPythonFile: PY1, a model.py that nowhere speaks of its class.
func (c *checker) checkPythonFile() {
	if c.cfg.GetBackend() != backends.Python || c.m.Folder == nil || c.m.Folder.Read == nil || c.cfg.GetDefaultModelFilename() == "" {
		return
	}
	for _, version := range Served(c.m) {
		rel := say("%d/%s", version, c.cfg.GetDefaultModelFilename())
		src := string(c.m.Folder.Read(rel, maxPython))
		if size, known := c.m.Folder.sizeOf(rel); !known || src == "" && size > 0 || strings.Contains(src, className) || strings.Contains(src, "import *") || strings.Contains(src, "globals()") ||
			strings.Contains(src, "setattr") || strings.Contains(src, "exec(") {
			continue
		}
		c.keep(kept{stage: rule.Instance, status: rule.Internal, Diagnostic: diag.Diagnostic{
			Code: "PY1", Span: c.name("default_model_filename"),
			Message: say("%s defines no class %s", rel, className),
			Triton:  triton("AttributeError: module '%d.model' has no attribute '%s'", version, className),
		}})
		return
	}
}
