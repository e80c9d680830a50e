package language

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"conch/configedit/derive"
	"conch/configedit/modelconfig"
	"conch/repo/scan"
)

// facts looks at what lies beside the config: the files of the folder Triton looks at, and an ONNX file. The error
// says why that file is broken; the facts are good without it.
func facts(m *scan.Model, onnx string) (f derive.Facts, broken error) {
	f = derive.Facts{ModelName: m.Name, AutoComplete: true}
	if first := derive.FirstFolder(m.Subdirs); first != "" {
		f.Files = list(filepath.Join(m.Dir, first))
	}
	if onnx != "" {
		f.ONNX, broken = readONNX(onnx)
	}
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
		path = filepath.Join(path, "model.onnx") // a folder with external data (triton-config D.4)
	}
	if !strings.HasPrefix(path, newest.Dir) {
		return ""
	}
	return path
}

// readONNX reads a model file's header. One that is not there is nil without an error: that is told elsewhere.
func readONNX(path string) (*derive.ONNXModel, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // a pipe would be waited for
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, errors.New("permission denied; change its permissions")
	case err != nil:
		return nil, fmt.Errorf("open it: %w", err)
	}
	defer func() { _ = f.Close() }()
	return derive.ReadONNX(f, info.Size())
}
