//go:build unix

package language_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// A pipe in place of a model file is reported in the engine's own words, and is never opened.
func TestPipeAsModelFile(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "m", "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "m", "1", "model.onnx"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "m", "labels.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	config := "backend: \"onnxruntime\"\noutput [ { name: \"o\" data_type: TYPE_FP32 dims: [ 1 ] label_filename: \"labels.txt\" } ]\n"
	if err := os.WriteFile(filepath.Join(root, "m", "config.pbtxt"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	m, _ := analysis.Model("m")
	told := 0
	for _, d := range analysis.Diagnose(m) {
		if strings.Contains(d.Message, "it is a named pipe, not a file; replace it by a file") {
			told++
		}
	}
	if told != 2 {
		t.Errorf("told of %d of 2: %v", told, analysis.Diagnose(m))
	}
}
