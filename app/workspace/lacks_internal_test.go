package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// TestLacks: a model lacks the file that the rules miss, in the version that is served, and nothing where the rules name none.
func TestLacks(t *testing.T) {
	const tensors = ` max_batch_size: 0 input { name: "i" data_type: TYPE_FP32 dims: 1 } output { name: "o" data_type: TYPE_FP32 dims: 1 }`
	const labelled = ` output { name: "l" data_type: TYPE_FP32 dims: 3 label_filename: "data/names.txt" }`
	root := t.TempDir()
	cases := map[string]struct {
		config string
		files  []string // those that end in a slash are folders
		want   string
	}{
		"whole":   {`backend: "python"`, []string{"1/model.py"}, ""},
		"bare":    {`backend: "python"`, []string{"1/"}, "It has no model file yet. Put model.py into bare/1."},
		"nothing": {`backend: "python"`, nil, "It has no version folder yet. Make nothing/1 with model.py in it."},
		"almost":  {`backend: "python"`, []string{"v1/model.py"}, "It has no version folder yet. Rename v1/ to 1/."},
		"outside": {`backend: "onnxruntime"`, []string{"model.onnx"}, "It has no version folder yet. Create 1/ and move model.onnx there."},
		"other":   {`backend: "python"`, []string{"1/labels.txt"}, "It has no model file yet. Put model.py into other/1."},
		"named":   {`backend: "python" default_model_filename: "run.py"`, []string{"3/model.py"}, "It has no model file yet. Put run.py into named/3, or name model.py, which is there, in default_model_filename."},
		"several": {`backend: "onnxruntime"`, []string{"1/a.onnx", "1/b.onnx"}, "It has no model file yet. Put model.onnx into several/1."},
		"newer":   {`backend: "python"`, []string{"1/model.py", "2/"}, "Version 2 has no model file yet. Put model.py into newer/2."},
		"older":   {`backend: "python" version_policy { specific { versions: 1 } }`, []string{"1/model.py", "2/"}, ""},
		"beside":  {`backend: "python" default_model_filename: "../model.py"`, []string{"1/", "model.py"}, ""},
		"echo":    {`backend: "identity"`, []string{"1/"}, ""},
		"echoing": {`backend: "identity"`, nil, "It has no version folder yet. Make echoing/1."},
		"own":     {`backend: "running"`, []string{"1/"}, ""},
		"onnx":    {`backend: "onnxruntime"`, []string{"1/"}, "It has no model file yet. Put model.onnx into onnx/1."},
		"torch":   {`platform: "pytorch_libtorch"`, []string{"1/"}, "It has no model file yet. Put model.pt into torch/1."},
		"vino":    {`backend: "openvino"`, []string{"1/"}, "It has no model file yet. Put model.xml into vino/1."},
		"labels":  {`backend: "python"` + labelled, []string{"1/model.py"}, "It has no label file yet. Put names.txt into labels/data, or correct label_filename."},
		"both":    {`backend: "python"` + labelled, []string{"1/"}, "It has no model file yet. Put model.py into both/1."},
		"near":    {`backend: "python"` + labelled, []string{"1/model.py", "data/name.txt"}, ""},
		"wrong":   {`platform: "onnxruntime_onxx"`, []string{"1/"}, ""}, // which comes first
		"empty":   {`platform: "ensemble"`, []string{"1/"}, "It has no steps yet. Write them into its config."},
	}
	for name, c := range cases {
		for _, file := range append(c.files, "config.pbtxt") {
			path := filepath.Join(root, name, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if file[len(file)-1] == '/' {
				if err := os.MkdirAll(path, 0o755); err != nil {
					t.Fatal(err)
				}
			} else if err := os.WriteFile(path, []byte(c.config+tensors), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	for name, c := range cases {
		m, there := analysis.Model(name)
		if !there {
			t.Fatalf("no model %s", name)
		}
		if got := examine(analysis, m, finding{}).lacks; got != c.want {
			t.Errorf("%s lacks %q, want %q", name, got, c.want)
		}
	}
}
