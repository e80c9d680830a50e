package language

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfolder"
	"conch/repo/scan"
)

// read gathers what the model's folder declares. It reuses the facts of the text on disk where both
// texts lead to the same ones. whole reports that the folder was there all the time.
func (m *Model) read(cfg *modelconfig.ModelConfig) (r modelfolder.Reading, whole bool) {
	q := modelfolder.Question{Name: m.Scan.Name, Config: cfg}
	if n := len(m.Scan.Versions); n > 0 {
		q.Version = filepath.Base(m.Scan.Versions[n-1].Dir)
	}
	r, whole = m.readAs(q)
	r.Facts.Weights = weights(m.Scan)
	r.Facts.Memory, r.Facts.Processors = machineMemory(), runtime.NumCPU()
	r.Facts.AutoComplete = !m.strict
	if m.gpus != nil {
		r.Facts.CountGPUs(*m.gpus)
	}
	return r, whole
}

func (m *Model) readAs(q modelfolder.Question) (r modelfolder.Reading, whole bool) {
	switch {
	case m.Scan.Dir == "":
		return modelfolder.None(q), true
	case m.saved != nil:
		saved := m.saved.understand()
		return saved.files.Again(m.files(), q), saved.whole
	case m.before != nil && m.before.understand().whole:
		return m.before.understand().files, true
	case m.around.away:
		return modelfolder.None(q), false
	}
	r, err := modelfolder.Read(m.files(), q) // the scan says why a folder cannot be read
	_, gone := os.Stat(m.Scan.Dir)
	return r, err == nil && gone == nil
}

// files returns the model's folder; an empty one while it is away.
func (m *Model) files() fs.FS {
	if m.isAway() {
		return nothing{}
	}
	return folder.Dir(m.Scan.Dir)
}

// nothing is a file system without files.
type nothing struct{}

func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// weights returns the size in bytes of the files of the newest version.
func weights(m *scan.Model) (sum int64) {
	if n := len(m.Versions); n > 0 {
		for _, file := range m.Versions[n-1].Files {
			sum += file.Size
		}
	}
	return sum
}
