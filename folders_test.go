package main

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"conch/app/checkcmd"
	"conch/app/language"
	"conch/configedit/check/checktest"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/engine/backend"
	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/model"
	"conch/repo/scan"
)

// A folder of a model, by path. A path that ends in a slash is an empty folder; "-> target" is a link.
type modelFolder map[string]string

// folders are model folders in which it is hard to find the backend, the model file and what it
// declares.
func folders(t *testing.T) map[string]modelFolder {
	add := string(onnxtest.AddSub("batch", 16).Bytes())
	total := string(onnxtest.Total("n").Bytes())
	fixed := string(onnxtest.AddSub(2, 3).Bytes())
	saved := string(checktest.SavedModel(t, "graph serve\nsignature serving_default x\ninput image 1 [-1, 64]\noutput scores 1 [-1, 10]\n"))
	return map[string]modelFolder{
		"no config":                   {"1/model.onnx": add},
		"a fixed model":               {"1/model.onnx": fixed},
		"a folder of a model":         {"1/model.onnx/model.onnx": add},
		"first folder, newest model":  {"2/model.onnx": total, "10/model.onnx": add},
		"a hidden folder comes first": {".x/model.py": "x", "1/model.onnx": add},
		"another name":                {"config.pbtxt": `backend: "onnxruntime" default_model_filename: "best.onnx"`, "1/best.onnx": add},
		"a link to the file":          {"weights/big.onnx": add, "1/model.onnx": "-> ../weights/big.onnx"},
		"a link to the folder":        {"weights/model.onnx": add, "1": "-> weights"},
		"a broken file":               {"config.pbtxt": `backend: "onnxruntime" input [{ name: "A" data_type: TYPE_FP32 dims: [ 1 ] }] output [{ name: "B" data_type: TYPE_FP32 dims: [ 1 ] }]`, "1/model.onnx": "no model"},
		"batching by hand":            {"config.pbtxt": `max_batch_size: 2 dynamic_batching {}`, "1/model.onnx": add},
		"batching of a fixed model":   {"config.pbtxt": `max_batch_size: 2`, "1/model.onnx": fixed},
		"graphdef before saved model": {"1/model.graphdef": "x", "1/model.savedmodel/saved_model.pb": saved},
		"a saved model that is none":  {"1/model.savedmodel": "x", "1/model.onnx": add},
		"plan before onnx":            {"1/model.plan": "x", "1/model.onnx": add},
		"python":                      {"1/model.py": "class TritonPythonModel: pass\n"},
		"a folder called model.pt":    {"1/model.pt/": "", "1/model.py": "class TritonPythonModel: pass\n"},
		"platform alone":              {"config.pbtxt": `platform: "onnxruntime_onnx"`, "1/model.onnx": add},
		"nothing tells":               {"1/weights.bin": "x"},
		"no version":                  {"config.pbtxt": `backend: "onnxruntime"`},
		"an ensemble":                 {"config.pbtxt": `platform: "ensemble" ensemble_scheduling { step [{ model_name: "n" model_version: -1 }] }`, "1/": ""},
	}
}

// TestFoldersAreReadAlike: the editor, `conch config` and the engine make the same config of the same folder.
func TestFoldersAreReadAlike(t *testing.T) {
	for name, files := range folders(t) {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			lay(t, filepath.Join(root, "m"), files)
			analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
			m, ok := analysis.Model("m")
			if !ok {
				t.Fatal("the scan finds no model")
			}
			same(t, "conch config", m.Effective(), printed(t, filepath.Join(root, "m")))
			engine, err := engineConfig(t, m)
			if err != nil {
				if !slices.ContainsFunc(analysis.Diagnose(m), func(d diag.Diagnostic) bool { return d.First && d.Triton == err.Error() }) {
					t.Errorf("the engine says %q, the editor %v", err, analysis.Diagnose(m))
				}
				return
			}
			same(t, "the engine", m.Effective(), engine)
		})
	}
}

func lay(t *testing.T, dir string, files modelFolder) {
	t.Helper()
	for path, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		parent := filepath.Dir(full)
		if path[len(path)-1] == '/' {
			parent = full
		}
		err := os.MkdirAll(parent, 0o755)
		switch target, link := bytes.CutPrefix([]byte(text), []byte("-> ")); {
		case parent == full:
		case link:
			err = errors.Join(err, os.Symlink(string(target), full))
		default:
			err = errors.Join(err, os.WriteFile(full, []byte(text), 0o600))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// printed returns what `conch config` writes.
func printed(t *testing.T, dir string) *modelconfig.ModelConfig {
	t.Helper()
	var out bytes.Buffer
	_ = checkcmd.Config(dir, checkcmd.Options{}, &out) // the errors of a folder are printed too
	cfg := &modelconfig.ModelConfig{}
	if err := prototext.Unmarshal(out.Bytes(), cfg); err != nil {
		t.Fatalf("conch config: %v\n%s", err, out.Bytes())
	}
	if cfg.GetEnsembleScheduling() != nil {
		cfg.ModelTransactionPolicy = nil // Triton sets it from the steps, whatever the config has
	}
	return cfg
}

// engineConfig returns the config with which the engine loads the newest version.
func engineConfig(t *testing.T, m *language.Model) (*modelconfig.ModelConfig, error) {
	t.Helper()
	src := model.Source{Name: "m", Dir: m.Scan.Dir, ConfigPath: m.Scan.ConfigPath, ConfigText: m.Scan.ConfigText}
	definition, err := (&model.Loader{Log: slog.New(slog.DiscardHandler)}).Define(src)
	if err != nil || definition.Config.Backend != onnx.New(onnx.Options{}).Name() || len(m.Scan.Versions) == 0 {
		return configOf(definition), err
	}
	newest := slices.MaxFunc(m.Scan.Versions, func(a, b scan.Version) int { return int(a.Number - b.Number) })
	return onnx.New(onnx.Options{Log: slog.New(slog.DiscardHandler)}).Complete(t.Context(), backend.Spec{
		Name: "m", ModelDir: m.Scan.Dir, VersionDir: newest.Dir, File: filepath.Join(newest.Dir, definition.Config.DefaultModelFilename),
		Config: definition.Config, Log: slog.New(slog.DiscardHandler),
	})
}

func same(t *testing.T, who string, editor, other *modelconfig.ModelConfig) {
	t.Helper()
	if !proto.Equal(editor, other) {
		t.Errorf("the editor has\n%v\n%s has\n%v", editor, who, other)
	}
}

func configOf(d *model.Definition) *modelconfig.ModelConfig {
	if d == nil {
		return nil
	}
	return d.Config
}
