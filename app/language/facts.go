package language

import (
	"path/filepath"
	"runtime"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/repo/scan"
)

// read gathers what the model's folder tells, unless that was done for the text on disk and comes to the same.
func (m *Model) read(cfg *modelconfig.ModelConfig) modelfolder.Reading {
	q := modelfolder.Question{Name: m.Scan.Name, Config: cfg}
	if n := len(m.Scan.Versions); n > 0 {
		q.Version = filepath.Base(m.Scan.Versions[n-1].Dir)
	}
	r := m.readAs(q)
	r.Facts.Weights = weights(m.Scan)
	r.Facts.Memory, r.Facts.Processors = machineMemory(), runtime.NumCPU()
	r.Facts.AutoComplete = !m.strict
	return r
}

func (m *Model) readAs(q modelfolder.Question) modelfolder.Reading {
	switch {
	case m.Scan.Dir == "":
		return modelfolder.None(q)
	case m.saved != nil:
		return m.saved.understand().files.Again(folder.Dir(m.Scan.Dir), q)
	}
	r, _ := modelfolder.Read(folder.Dir(m.Scan.Dir), q) // the scan says why a folder cannot be read
	return r
}

// weights are the bytes of the files of the newest version.
func weights(m *scan.Model) (sum int64) {
	if n := len(m.Versions); n > 0 {
		for _, file := range m.Versions[n-1].Files {
			sum += file.Size
		}
	}
	return sum
}
