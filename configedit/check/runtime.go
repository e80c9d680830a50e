package check

import (
	"strings"

	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/configedit/rule"
)

// backendFolder is the folder of the backends in Triton's containers.
const backendFolder = "/opt/tritonserver/backends"

// checkNoConfig: L6, a model without a config whose backend cannot make one, and CFG1, on a server that makes none.
func checkNoConfig(c *checker) {
	if c.m.Folder == nil || c.m.Completed {
		return
	}
	if c.m.Decoded == nil && !c.m.Facts.AutoComplete {
		c.report(finding{
			rule: rule.CFG1, args: values(c.place(folder.ConfigName)),
			message: "the model has no config.pbtxt, and with --disable-auto-complete-config every model needs one",
		})
		return
	}
	if c.m.Decoded != nil || c.m.Problem != nil || backends.Named(c.cfg.GetBackend()).Completes != backends.Never {
		return
	}
	c.report(finding{
		rule: rule.L6, args: values(c.m.Name),
		message: say("the model has no config.pbtxt, and backend %q does not make one from the model file", c.cfg.GetBackend()),
	})
}

// checkRuntime: L11 and L13, the library that a config names for its backend.
func checkRuntime(c *checker) {
	runtime, backend := c.cfg.GetRuntime(), c.cfg.GetBackend()
	if runtime == "" || backend == "" || c.isEnsemble() {
		return
	}
	d := finding{span: c.span("runtime")}
	switch {
	case runtime == backends.PythonRuntime && backends.Named(backend).Library:
		d.rule, d.message = rule.L13, say("backend %q is a library, not a Python program, so %s cannot run it", backend, runtime)
		d.args = values(c.cfg.GetName(), backendFolder, backend)
		d.fixes = c.remove("remove runtime", "runtime")
		c.report(d)
	case runtime == backends.PythonRuntime || runtime == "libtriton_"+backend+".so" || c.brings(runtime):
	case backends.Known(backend):
		d.rule = rule.L11
		d.message = say("backend %q is the library libtriton_%s.so, and the model has no %s of its own", backend, backend, runtime)
		d.args = values(runtime, c.cfg.GetName(), c.place(say("%d", newest(c.m))), strings.TrimSuffix(c.place(""), "/"), backendFolder, backend)
		c.report(d)
	}
}

// brings reports whether a library is in the model's folder or in the folder of its newest version.
func (c *checker) brings(library string) bool {
	return c.m.Folder == nil || c.m.Folder.hasFile(library) || c.m.Folder.hasFile(say("%d/%s", newest(c.m), library))
}

// checkOptional: L24.
func checkOptional(c *checker) {
	if !backends.Named(c.cfg.GetBackend()).RefusesOptional {
		return
	}
	for i, in := range c.cfg.GetInput() {
		if in.Optional && !c.full() {
			c.report(finding{
				rule: rule.L24, span: c.span("input", i, "optional"), args: values(in.Name),
				message: say("backend %q takes no optional inputs", c.cfg.GetBackend()),
				fixes:   replace("replace the value by false", c.span("input", i, "optional"), "false"),
			})
		}
	}
}
