package python

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/infer"
)

// checkTorch compares the config of a PyTorch model with its file, as the editor does (derive.CheckTorch). The program of the
// backend relies on it. What cannot be read here is for PyTorch to refuse.
func (b *Backend) checkTorch(spec backend.Spec) error {
	if b.Name() != backends.PyTorch {
		return nil
	}
	var model *modelfile.TorchScript
	script := spec.Config.Runtime != backends.PythonRuntime && spec.Config.Platform != backends.TorchAOTI.Platform
	if script {
		readHead(scriptFile(spec), func(r io.ReaderAt, size int64) {
			if found, err := modelfile.ReadTorchScript(r, size); err == nil {
				model = found
			}
		})
	}
	problems := derive.CheckTorch(spec.Config, model)
	i := slices.IndexFunc(problems, func(p *derive.Problem) bool { return !p.Late && (script || p.Rule == rule.PT11) })
	if i < 0 {
		return nil
	}
	return infer.Said(problems[i].Code, problems[i].Triton)
}

// scriptFile is what the program opens: a config with the platform alone is not completed with a file's name
// (docs/triton/completion.md, "Backend and platform").
func scriptFile(spec backend.Spec) string {
	if spec.Config.DefaultModelFilename == "" {
		return filepath.Join(spec.File, backends.TorchScript.File)
	}
	return spec.File
}

// readHead reads a model file that is there.
func readHead(file string, read func(r io.ReaderAt, size int64)) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		read(f, info.Size())
	}
}
