package language_test

import (
	"path/filepath"
	"strings"
	"testing"

	"conch/app/language"
	"conch/build/golden"
	"conch/repo/scan"
)

func TestDraft(t *testing.T) {
	analysis := language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{})
	m, _ := analysis.Model("digits_prepare")
	draft, err := m.Draft()
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/draft.pbtxt", string(draft))
	with, again := analysis.With("digits_prepare", draft)
	if list := with.Diagnose(again); len(list) > 0 {
		t.Errorf("what was drafted is not right: %v", list)
	}
	ensemble, _ := analysis.Model("read_digit")
	if _, err := ensemble.Draft(); err == nil || !strings.Contains(err.Error(), "no model file") {
		t.Errorf("an ensemble: %v", err)
	}
}

// A file outside all version folders that tells nothing of tensors is not called a broken ONNX model.
func TestDraftOfAFileOutside(t *testing.T) {
	for file, want := range map[string]string{
		"model.py":   "there is no model file that describes its inputs",
		"model.pt2":  "there is no model file that describes its inputs",
		"net.onnx":   "the model file cannot be read: this is not a valid ONNX model",
		"model.plan": "the model file cannot be read: this is not a TensorRT plan",
	} {
		root := t.TempDir()
		put(t, filepath.Join(root, "m", file), "class TritonPythonModel: pass\n")
		m, _ := language.New(scan.New(root).Scan(nil), nil, language.Around{}).Model("m")
		if _, err := m.Draft(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v; want %s", file, err, want)
		}
	}
}

func TestFromJSON(t *testing.T) {
	analysis := language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{})
	src := `{"backend": "onnxruntime", "max_batch_size": 8,
  "input": [{"name": "image", "data_type": "TYPE_FP32", "dims": ["64"]}],
  "output": [{"name": "probabilities", "data_type": "TYPE_FP32", "dims": ["10"]}]}`
	with, m := analysis.With("digits", []byte(src))
	list := with.Diagnose(m)
	if len(list) != 1 || len(list[0].Fixes) != 1 || len(list[0].Fixes[0].Edits) != 1 {
		t.Fatalf("%v", list)
	}
	with, m = analysis.With("digits", []byte(list[0].Fixes[0].Edits[0].New))
	if rest := with.Diagnose(m); len(rest) > 0 {
		t.Errorf("%s: %v", list[0].Fixes[0].Edits[0].New, rest)
	}
}
