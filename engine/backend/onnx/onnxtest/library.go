package onnxtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Library is the path of ONNX Runtime: what CONCH_ONNXRUNTIME says, or the one
// that set-up puts into the build's cache.
func Library(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("CONCH_ONNXRUNTIME"); path != "" {
		return path
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatalf("find the working directory: %v", err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "build", "cache", "onnxruntime")
		}
	}
	t.Fatal("the test does not run inside the module: set CONCH_ONNXRUNTIME to ONNX Runtime's library")
	return ""
}
