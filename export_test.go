package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExport: the exit status is 1 while something would not run there, and then nothing is written.
func TestExport(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	out := filepath.Join(t.TempDir(), "deploy")
	if status := run([]string{"export", "--target", "compose", "--triton", "24.10", "--out", out, "examples/repository"}); status != 1 {
		t.Errorf("an example needs a newer release, and the exit status is %d", status)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the folder was made")
	}
	if status := run([]string{"export", "--target", "compose", "--triton", "24.12", "--out", out, "examples/repository"}); status != 0 {
		t.Errorf("exit status %d", status)
	}
	text, err := os.ReadFile(filepath.Join(out, "compose.yaml"))
	if err != nil || !strings.Contains(string(text), "tritonserver:24.12-py3") {
		t.Error(string(text), err)
	}
	if status := run([]string{"export", "--target", "nomad", "examples/repository"}); status != misused {
		t.Errorf("a target that does not exist: exit status %d", status)
	}
}
