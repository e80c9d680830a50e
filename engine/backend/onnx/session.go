package onnx

import (
	"os"
	"path/filepath"
	"slices"

	"conch/configedit/backends"
	"conch/configedit/derive"
	"conch/configedit/folder"
	"conch/configedit/modelconfig"
	"conch/configedit/modelfile"
	"conch/configedit/rule"
	"conch/engine/backend"
	"conch/engine/infer"
)

// modelFile is what ONNX Runtime opens: the file, or the model.onnx in a folder of that name, where
// external data may lie beside it (docs/triton/onnx.md, "The file").
func modelFile(spec backend.Spec) (string, error) {
	info, err := os.Stat(spec.File)
	if err != nil {
		return "", infer.Refused(rule.ORT0, spec.File)
	}
	if !info.IsDir() {
		return spec.File, notAPipe(spec.File, info)
	}
	inside := filepath.Join(spec.File, backends.ONNX.Inside)
	info, err = os.Stat(inside)
	if err != nil || info.IsDir() {
		return "", infer.Said(rule.Unavailable, rule.ORT0.Other(1, inside, spec.Name))
	}
	return inside, notAPipe(inside, info)
}

// notAPipe refuses a file that is not a regular file: opening it may wait for ever, and it may have no end.
func notAPipe(path string, info os.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return infer.Errorf(infer.Internal, "failed to open model file %s: %v", path, folder.Special(info.Mode()))
}

// checkModel compares the config with the session, as Triton does. The session knows shapes that the file leaves out.
func checkModel(spec backend.Spec, model *modelfile.ONNX) error {
	if problems := disagreements(spec.Config, model); len(problems) > 0 {
		return firstProblem(problems)
	}
	return nil
}

// disagreements leaves out problems with options. They were checked when the session was made on this machine.
func disagreements(cfg *modelconfig.ModelConfig, model *modelfile.ONNX) []*derive.Problem {
	return slices.DeleteFunc(derive.CheckONNX(cfg, model), func(p *derive.Problem) bool { return p.Rule == rule.ORT12 })
}

// Files implements backend.FileLister: a model of more than 2 GB has its weights in other files.
func (*Backend) Files(spec backend.Spec) []string {
	path, err := modelFile(spec)
	if err != nil {
		return nil
	}
	files := []string{path}
	header := headerOf(spec)
	if header == nil {
		return files
	}
	known := map[string]bool{}
	for _, name := range header.ExternalFiles {
		if !known[name] && filepath.IsLocal(name) {
			known[name] = true
			files = append(files, filepath.Join(filepath.Dir(path), name))
		}
	}
	return files
}
