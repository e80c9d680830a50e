package derive_test

import (
	"strings"
	"testing"

	"conch/configedit/derive"
)

// TestOrderOfFiles: what a config that names nothing gets from the files of its version folder. The answers are those
// of Triton 24.10, which was started on these folders with --log-verbose=1; those with model.pt2, which it does not know,
// are read from the source of a later one.
func TestOrderOfFiles(t *testing.T) {
	for files, want := range map[string]string{
		"model.graphdef model.savedmodel/": "tensorflow tensorflow_graphdef model.graphdef",
		"model.savedmodel/ model.onnx":     "tensorflow tensorflow_savedmodel model.savedmodel",
		"model.savedmodel model.onnx":      "onnxruntime onnxruntime_onnx model.onnx",
		"model.graphdef/ model.onnx":       "onnxruntime onnxruntime_onnx model.onnx",
		"model.plan model.onnx":            "tensorrt tensorrt_plan model.plan",
		"model.plan/ model.pt":             "pytorch pytorch_libtorch model.pt",
		"model.onnx model.xml":             "onnxruntime onnxruntime_onnx model.onnx",
		"model.onnx/ model.py":             "onnxruntime onnxruntime_onnx model.onnx",
		"model.xml/ model.pt":              "openvino  model.xml",
		"model.pt model.py":                "pytorch pytorch_libtorch model.pt",
		"model.pt/ model.py":               "python  model.py",
		"model.py/":                        "python  model.py",
		"model.pt2 model.py":               "pytorch torch_aoti model.pt2",
		"model.pt/ model.pt2 model.py":     "python  model.py",
		"model.pt model.pt2":               "pytorch pytorch_libtorch model.pt",
	} {
		facts := derive.Facts{ModelName: "m"}
		for _, name := range strings.Fields(files) {
			plain, dir := strings.CutSuffix(name, "/")
			facts.Files = append(facts.Files, derive.File{Name: plain, Dir: dir})
		}
		cfg, _, err := derive.Effective(nil, facts)
		if got := strings.Join([]string{cfg.Backend, cfg.Platform, cfg.DefaultModelFilename}, " "); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", files, got, err, want)
		}
	}
}
