package language

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/repo/layout"
	"conch/repo/scan"
)

// modelFiles are the files that may tell of a model's tensors, "" for each that this model has not.
type modelFiles struct{ onnx, saved, torch, plan string }

// facts looks at what lies beside the config: the files of the folder Triton looks at, and the heads of the model
// files. The error says why one of them is broken; the facts are good without it.
func facts(m *scan.Model, model modelFiles) (f derive.Facts, broken error) {
	f = derive.Facts{ModelName: m.Name, AutoComplete: true}
	if first := derive.FirstFolder(m.Subdirs); first != "" {
		f.Files = list(filepath.Join(m.Dir, first))
	}
	if len(m.Versions) > 0 {
		for _, file := range m.Versions[len(m.Versions)-1].Files {
			f.Weights += file.Size
		}
	}
	f.Memory, f.Processors = machineMemory(), runtime.NumCPU()
	// In the order in which Triton looks: the first that is there is the one that it takes.
	if f.SavedModel, broken = readModel(model.saved, modelfile.ReadSavedModel); f.SavedModel != nil || broken != nil {
		return f, broken
	}
	if f.Plan, broken = readModel(model.plan, modelfile.ReadPlan); f.Plan != nil || broken != nil {
		return f, broken
	}
	if f.ONNX, broken = readModel(model.onnx, modelfile.ReadONNX); f.ONNX != nil || broken != nil {
		return f, broken
	}
	f.Torch, broken = readModel(model.torch, modelfile.ReadTorchScript)
	return f, broken
}

// list reads a folder; one that cannot be read counts as empty, which is also what Triton makes of it.
func list(dir string) []derive.File {
	entries, _ := os.ReadDir(dir)
	files := make([]derive.File, 0, len(entries))
	for _, e := range entries {
		isDir := e.IsDir()
		if info, err := os.Stat(filepath.Join(dir, e.Name())); err == nil {
			isDir = info.IsDir() // follows a link
		}
		files = append(files, derive.File{Name: e.Name(), Dir: isDir})
	}
	return files
}

// onnxFile finds the model file of the newest version, "" when this is no ONNX model or has none.
func onnxFile(m *scan.Model, cfg *modelconfig.ModelConfig) string {
	isONNX := cfg.GetBackend() == "onnxruntime" || cfg.GetPlatform() == "onnxruntime_onnx" || cfg.GetBackend() == "" && cfg.GetPlatform() == ""
	if !isONNX || len(m.Versions) == 0 {
		return ""
	}
	name := cfg.GetDefaultModelFilename()
	if name == "" {
		name = "model.onnx"
	}
	newest := m.Versions[len(m.Versions)-1]
	path := filepath.Join(newest.Dir, filepath.FromSlash(name))
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "model.onnx") // a folder with external data (docs/triton/onnx.md, "The file")
	}
	if !layout.Below(newest.Dir, path) {
		return ""
	}
	return path
}

// runner is a backend, the platform that means it too, and what its model file is usually called.
type runner struct{ backend, platform, usual string }

var (
	libtorch = runner{"pytorch", "pytorch_libtorch", "model.pt"}
	tensorRT = runner{"tensorrt", "tensorrt_plan", "model.plan"}
)

// file finds the model file of the newest version; "" when the config names another backend, or there is no version. A
// config that names none may mean any.
func (r runner) file(m *scan.Model, cfg *modelconfig.ModelConfig) string {
	bare := cfg.GetBackend() == "" && cfg.GetPlatform() == ""
	meant := cfg.GetPlatform() == r.platform || cfg.GetBackend() == r.backend && cfg.GetPlatform() == ""
	if !meant && !bare || len(m.Versions) == 0 || cfg.GetRuntime() == "model.py" { // then a Python program opens the file
		return ""
	}
	newest := m.Versions[len(m.Versions)-1]
	path := filepath.Join(newest.Dir, filepath.FromSlash(cmp.Or(cfg.GetDefaultModelFilename(), r.usual)))
	if !layout.Below(newest.Dir, path) || bare && filepath.Base(path) != r.usual {
		return ""
	}
	return path
}

// savedFile finds the saved model of the newest version, "" when this is none of TensorFlow's.
func savedFile(m *scan.Model, cfg *modelconfig.ModelConfig) string {
	bare := cfg.GetBackend() == "" && cfg.GetPlatform() == ""
	isSaved := cfg.GetPlatform() == "tensorflow_savedmodel" || cfg.GetBackend() == "tensorflow" && cfg.GetPlatform() == ""
	if !isSaved && !bare || len(m.Versions) == 0 {
		return ""
	}
	name := cfg.GetDefaultModelFilename()
	if name == "" {
		name = "model.savedmodel"
	}
	newest := m.Versions[len(m.Versions)-1]
	path := filepath.Join(newest.Dir, filepath.FromSlash(name), "saved_model.pb")
	if !layout.Below(newest.Dir, path) {
		return ""
	}
	return path
}

// readModel reads a model file's header. One that is not there is nil without an error: that is told elsewhere.
func readModel[T any](path string, read func(io.ReaderAt, int64) (*T, error)) (*T, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil, nil
	}
	if special := folder.Special(info.Mode()); special != nil {
		return nil, special
	}
	f, err := folder.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("permission denied; change its permissions")
	case err != nil:
		return nil, fmt.Errorf("open it: %w", err)
	}
	defer func() { _ = f.Close() }()
	return read(f, info.Size())
}
