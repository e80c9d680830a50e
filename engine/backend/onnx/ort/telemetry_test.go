package ort_test

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"conch/engine/backend/onnx/ort"
)

// TestChildrenSendNothing: what this process starts finds telemetry switched off, whatever was wished for before.
// build/faults has the test of ONNX Runtime itself.
func TestChildrenSendNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	t.Setenv("ORT_DISABLE_TELEMETRY", "0")
	if err := ort.DisableTelemetry(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", "echo $ORT_DISABLE_TELEMETRY").Output()
	if err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Errorf("a child finds %q, %v", out, err)
	}
}
