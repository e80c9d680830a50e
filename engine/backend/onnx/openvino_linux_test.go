package onnx_test

import (
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
)

// openVINOVariable is the library, or its folder, of a build with OpenVINO; `make test-openvino` installs one.
const openVINOVariable = "CONCH_OPENVINO"

// openVINOChild is set in the process that tries OpenVINO.
const openVINOChild = "CONCH_TEST_OPENVINO"

// TestOpenVINO runs the example models by OpenVINO in a process of its own, and holds their outputs against those of the same ONNX Runtime
// without OpenVINO. Intel's library runs on processors of Intel alone; elsewhere qemu shows it one.
func TestOpenVINO(t *testing.T) {
	if os.Getenv(openVINOVariable) == "" {
		t.Skip("LEFT OUT: no ONNX Runtime with OpenVINO is named by " + openVINOVariable + "; `make test-openvino` installs one")
	}
	command := []string{os.Args[0], "-test.run", "^TestOpenVINOChild$", "-test.v"}
	if text, err := os.ReadFile("/proc/cpuinfo"); err != nil || !strings.Contains(string(text), "GenuineIntel") {
		emulator := os.Getenv("QEMU_X86_64")
		if emulator == "" {
			emulator = "qemu-x86_64"
		}
		if _, err := exec.LookPath(emulator); err != nil {
			t.Fatalf("this machine has no processor of Intel, and there is no qemu-x86_64 that shows one: `apt install qemu-user`, or name it by QEMU_X86_64")
		}
		command = append([]string{emulator, "-cpu", "max,vendor=GenuineIntel"}, command...)
	}
	child := exec.Command(command[0], command[1:]...)
	child.Env = append(os.Environ(), openVINOChild+"=1")
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestOpenVINOChild") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestOpenVINOChild(t *testing.T) {
	if os.Getenv(openVINOChild) == "" {
		t.Skip("TestOpenVINO runs it")
	}
	backendWith := func(settings ...string) *onnx.Backend {
		b := onnx.New(onnx.Options{Library: os.Getenv(openVINOVariable), Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), Settings: onnx.ReadSettings(settings)})
		t.Cleanup(func() { b.Close() })
		return b
	}
	byOpenVINO := backendWith("onnxruntime,accelerator=openvino")
	sameAnswers(t, byOpenVINO, backendWith())
	config := addSubConfig(accelerator("openvino"))
	if model, err := byOpenVINO.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), config)); err != nil {
		t.Errorf("asked for by a config: %v", err)
	} else if err := model.Close(); err != nil {
		t.Error(err)
	}
}
