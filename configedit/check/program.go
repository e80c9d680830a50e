package check

import (
	"conch/configedit/backends"
	"conch/configedit/python"
	"conch/configedit/rule"
)

// checkPythonFile checks the programs of a Python model: PY1 and PY3. It only warns if only a run can show the mistake.
func checkPythonFile(c *checker) {
	if c.cfg.GetBackend() != backends.Python || c.m.Folder == nil {
		return
	}
	for _, version := range Served(c.m) {
		rel := say("%d/%s", version, c.cfg.GetDefaultModelFilename())
		program := programIn(c.m, version)
		if _, there := c.m.Folder.sizeOf(rel); !there || program == nil {
			continue
		}
		if c.brokenProgram(version, program) || c.noClass(version, rel, program) {
			return
		}
	}
}

// programStage returns when Triton imports the program. If allowed, Triton first asks it to complete the config.
func (c *checker) programStage() rule.Stage {
	if c.m.Facts.AutoComplete {
		return rule.Complete
	}
	return rule.Instance
}

// brokenProgram: PY3. For a module that the program imports it is a warning, since an installed module of the same name
// comes before it.
func (c *checker) brokenProgram(version int64, program *python.Program) bool {
	for _, e := range program.Wrong() {
		f := finding{
			rule: rule.PY3, span: c.name("default_model_filename"), args: values(e.Kind, e.Words()), stage: c.programStage(),
			message: say("Python refuses %s, line %d: %s", e.File, e.Line, e.Message),
		}
		if !program.Main(e) {
			f.taken = true
			f.message += say("; version %d imports it, unless another module of this name is installed", version)
		}
		c.report(f)
		if !f.taken {
			return true
		}
	}
	return false
}

// noClass: PY1.
func (c *checker) noClass(version int64, rel string, program *python.Program) bool {
	f := finding{
		rule: rule.PY1, span: c.name("default_model_filename"), args: values(version), stage: c.programStage(),
		message: say("%s defines no class %s", rel, python.Class),
	}
	switch program.Defines() {
	case python.Yes:
		return false
	case python.Perhaps:
		f.taken, f.unsaid = true, true
		f.message = say("nothing in %s shows that it defines a class %s; only a run can tell", rel, python.Class)
	}
	c.report(f)
	return true
}
