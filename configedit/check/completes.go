package check

import (
	"sync"

	"conch/configedit/backends"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/python"
)

// completes reports whether a model's backend may still fill in tensors and batching that Effective
// lacks, so that a missing value is not yet a mistake (docs/triton/completion.md, "What a backend may
// complete").
func completes(m *Model) bool {
	backend := m.Effective.GetBackend()
	switch {
	case m.Facts.Answer != nil: // Effective has it
		return false
	case !m.Facts.AutoComplete, backends.Named(backend).Completes == backends.Never, m.Effective.GetPlatform() == backends.Ensemble:
		return false
	case backend == backends.ONNXRuntime:
		return m.Facts.ONNX == nil || !m.Facts.ONNX.Shaped()
	case backends.Named(backend).Completes == backends.FromProgram:
		program := Program(m)
		return program == nil || program.Completes() != python.No
	}
	return true
}

// mayAdd reports whether the backend may add inputs and outputs to those that the config lists. A backend that reads a
// model file fills in only an empty list.
func mayAdd(m *Model) bool {
	how := backends.Named(m.Effective.GetBackend()).Completes
	return completes(m) && (how == backends.FromProgram || how == backends.Unknown)
}

// Program returns the program of the newest version. It returns nil if the program is unknown or the model is not a
// Python model. A missing file completes nothing.
func Program(m *Model) *python.Program {
	if m.Effective.GetBackend() != backends.Python {
		return nil
	}
	return programIn(m, newest(m))
}

// programIn is the program of a version.
func programIn(m *Model, version int64) *python.Program {
	file := m.Effective.GetDefaultModelFilename()
	if m.Folder == nil || m.Folder.Open == nil || file == "" || folder.Outside(file) {
		return nil
	}
	return m.Folder.programs.read(m.Folder, say("%d/%s", version, file))
}

// programs are those of a folder, each read once.
type programs struct {
	mu    sync.Mutex
	known map[string]*python.Program
}

func (p *programs) read(f *Folder, rel string) *python.Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.known[rel]; ok {
		return known
	}
	if p.known == nil {
		p.known = map[string]*python.Program{}
	}
	p.known[rel] = nil
	if size, there := f.sizeOf(rel); !there || size == 0 || len(f.Read(rel, 1)) > 0 { // otherwise it cannot be read
		p.known[rel] = python.Read(rel, func(rel string) []byte { return f.Read(rel, python.MaxFile) })
	}
	return p.known[rel]
}

// ioUnlessFilled reports a value that an input or output lacks. It is an error unless the backend may fill it in.
// A Python program that names the tensor surely does.
func (c *checker) ioUnlessFilled(t *tensor, f finding) {
	if !completes(c.m) {
		c.report(f)
		return
	}
	if p := Program(c.m); p != nil && p.Says(t.name) {
		return
	}
	f.message += "; the backend may fill it in"
	f.taken = true
	c.report(f)
}

// typeName returns a data type as Triton writes it. A number that is not a type has no name.
func typeName(t modelconfig.DataType) string { return modelconfig.DataType_name[int32(t)] }
