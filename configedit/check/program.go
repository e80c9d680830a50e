package check

import (
	"slices"
	"strings"

	"conch/configedit/backends"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/python"
	"conch/configedit/rule"
	"conch/configedit/starter"
)

// checkPythonFile checks the programs of a Python model: PY1, PY3 and PY4. It only warns if only a run can show the
// mistake.
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
	c.untilRun()
}

// untilRun: PY4. If the program completes the config, a model without inputs or outputs is no mistake, but nothing that
// uses them can be checked.
func (c *checker) untilRun() {
	lacks, adds := awaited(c.m)
	if lacks == "" || c.unread(named, "input", "output") {
		return
	}
	c.report(finding{
		rule: rule.PY4, span: c.name("default_model_filename"),
		message: say("the config lists %s; %s. No run with these files is known on this machine, so what uses them is not checked", lacks, adds),
	})
}

// untilRun: PY4, of a step.
func (m *mappings) untilRun(i int, model *Model) {
	if lacks, adds := awaited(model); lacks != "" {
		m.report(finding{
			rule: rule.PY4, span: m.span(stepPath(i, "model_name")...),
			message: say("the config of model %q lists %s; %s. No run with these files is known on this machine, so what the step maps is not checked",
				model.Name, lacks, adds),
			related: []diag.Related{{File: File(model.Name), Span: spanIn(model, "backend"), Message: say("the config of %q", model.Name)}},
		})
	}
}

// awaited says which tensors a config lacks that its program adds in a run that is not known, or "", and who adds them.
func awaited(m *Model) (lacks, adds string) {
	program := Program(m)
	if program == nil || !completes(m) {
		return "", ""
	}
	switch in, out := len(m.Effective.GetInput()) == 0, len(m.Effective.GetOutput()) == 0; {
	case in && out:
		lacks = "neither inputs nor outputs"
	case in:
		lacks = "no inputs"
	case out:
		lacks = "no outputs"
	}
	verb := "adds"
	if program.Completes() == python.Perhaps {
		verb = "may add"
	}
	return lacks, say("%s of %d/%s %s them when it runs", python.AutoComplete, newest(m), m.Effective.GetDefaultModelFilename(), verb)
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
			rule: rule.PY3, span: c.name("default_model_filename"), sentence: e.Said(), stage: c.programStage(),
			message: say("Python refuses %s, line %d: %s", e.File, e.Line, e.Message), program: diag.ProgramLine{File: e.File, Line: e.Line},
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
	if raised := program.Raises(); raised != "" {
		f.also, f.args = 1, values(raised)
		f.message += "; " + say("it raises %s before its end", raised)
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

// runsProgram reports whether the backend runs a program that people write for the model.
func (c *checker) runsProgram() bool {
	return c.cfg.GetBackend() == backends.Python && c.cfg.GetRuntime() == "" && c.modelFile() != ""
}

// mostStarted limits the inputs and outputs of a model for which a program is proposed.
const mostStarted = 100

// firstProgram is the fix that writes the program of a version to begin with.
func (c *checker) firstProgram(version int64) []diag.Fix {
	name := c.modelFile()
	if c.m.Name == "" || strings.Contains(name, "/") || !strings.HasSuffix(name, ".py") || !c.tensorsHaveTypes() ||
		len(c.cfg.GetInput())+len(c.cfg.GetOutput()) > mostStarted {
		return nil
	}
	program, rel := starter.Python(c.cfg), say("%d/%s", version, name)
	return []diag.Fix{{
		Title: say("write %s, which answers with %s", rel, program.Answers),
		Edits: []diag.Edit{{File: c.m.Name + "/" + rel, Makes: true, New: program.Text}},
	}}
}

// tensorsHaveTypes reports whether each input and output says its data type.
func (c *checker) tensorsHaveTypes() bool {
	lacks := modelconfig.DataType_TYPE_INVALID
	return !slices.ContainsFunc(c.cfg.GetInput(), func(in *modelconfig.ModelInput) bool { return in.GetDataType() == lacks }) &&
		!slices.ContainsFunc(c.cfg.GetOutput(), func(out *modelconfig.ModelOutput) bool { return out.GetDataType() == lacks })
}
