package modelfile_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"conch/configedit/modelfile"
)

// A pipe in place of a model is not opened: that would wait for ever.
func TestExternalFilesOfAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "model.onnx")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if files := modelfile.ExternalFiles(pipe); files != nil {
		t.Errorf("%q", files)
	}
}
