//go:build unix

package onnx_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
)

// A pipe is waited for when it is opened, by the one who opens it.
func TestPipeIsNoModelFile(t *testing.T) {
	spec := specOf(t, onnxtest.AddSub(2).Bytes(), nil)
	spec.File = filepath.Join(t.TempDir(), "model.onnx")
	if err := syscall.Mkfifo(spec.File, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newBackend(t).Load(context.Background(), spec); err == nil || !strings.Contains(err.Error(), "it is a named pipe, not a file") {
		t.Errorf("load = %v", err)
	}
}
