package check

import (
	"conch/configedit/backends"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
)

// completes says whether a model's backend may still fill in tensors and batching that Effective
// lacks, so that what is missing is no mistake yet (docs/triton/completion.md, "What a backend may
// complete").
func completes(m *Model) bool {
	backend := m.Effective.GetBackend()
	switch {
	case !m.Facts.AutoComplete, backends.Named(backend).Completes == backends.Never, m.Effective.GetPlatform() == backends.Ensemble:
		return false
	case backend == backends.ONNXRuntime:
		return m.Facts.ONNX == nil || !m.Facts.ONNX.Shaped()
	case backends.Named(backend).Completes == backends.FromProgram:
		program := pythonOf(m)
		return program == nil || program.Completes()
	}
	return true
}

// pythonOf is the program of the newest version; nil where it cannot be known. A file that is missing completes nothing.
func pythonOf(m *Model) *modelfile.Python {
	file := m.Effective.GetDefaultModelFilename()
	if m.Folder == nil || m.Folder.Read == nil || file == "" {
		return nil
	}
	return modelfile.PythonText(m.Folder.Read(say("%d/%s", newest(m), file), modelfile.MaxPython))
}

// ioUnlessFilled reports something that an input or output does not say: an error, unless the backend may say it.
// A Python program that speaks of the tensor surely does.
func (c *checker) ioUnlessFilled(t *tensor, f finding) {
	if !completes(c.m) {
		c.report(f)
		return
	}
	if p := pythonOf(c.m); p != nil && c.cfg.GetBackend() == backends.Python && p.SpeaksOf(t.name) {
		return
	}
	f.message += "; the backend may fill it in"
	f.taken = true
	c.report(f)
}

// typeName is a data type as Triton writes it: a number that is none has no name.
func typeName(t modelconfig.DataType) string { return modelconfig.DataType_name[int32(t)] }
