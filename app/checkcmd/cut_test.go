package checkcmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/checkcmd"
)

// TestCutModel: a model file cut in half is reported as such, and its missing label file is reported
// with its place.
func TestCutModel(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile(root + "/examples/repository/add_sub/1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir+"/half/1", 0o755); err != nil {
		t.Fatal(err)
	}
	config := "backend: \"onnxruntime\"\noutput { name: \"OUTPUT0\" data_type: TYPE_INT32 dims: [ 16 ] label_filename: \"none.txt\" }\n"
	for path, content := range map[string]string{"half/1/model.onnx": string(whole[:len(whole)/2]), "half/config.pbtxt": config} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if status := checkcmd.Run(t.Context(), []string{dir}, checkcmd.Options{}, &out); status != 1 {
		t.Errorf("exit status %d", status)
	}
	for _, want := range []string{"the model file cannot be read", "failed to open text file for read " + dir + "/half/none.txt"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
