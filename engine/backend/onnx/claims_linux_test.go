package onnx_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/engine/backend/onnx"
	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/infer"
)

// claimsLibrary is the library in the child's environment.
const claimsLibrary = "CLAIMS_LIBRARY"

// A provider whose own library is not beside ONNX Runtime is not there, although ONNX Runtime was built with it: a load says so in plain
// words, and names the same providers as `conch runtime list`.
func TestProviderWithoutItsLibrary(t *testing.T) {
	library, working := filepath.Join(t.TempDir(), "libonnxruntime.so.1"), onnxtest.Library(t)
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-Iort", "-o", library, "ort/testdata/claims.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("compile the library: %v\n%s", err, out)
	}
	if info, err := os.Stat(working); err == nil && info.IsDir() {
		working = filepath.Join(working, "libonnxruntime.so.1")
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(library), "libonnxruntime_providers_cuda.so"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestProviderWithoutItsLibraryChild$", "-test.v")
	child.Env = append(os.Environ(), claimsLibrary+"="+library, "CLAIMS_REAL="+working)
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestProviderWithoutItsLibraryChild") {
		t.Fatalf("%v\n%s", err, out)
	}
}

func TestProviderWithoutItsLibraryChild(t *testing.T) {
	library := os.Getenv(claimsLibrary)
	if library == "" {
		t.Skip("TestProviderWithoutItsLibrary runs it")
	}
	fast := &device{info: onnx.AcceleratorInfo{Name: "fast", Provider: "TensorrtExecutionProvider"}}
	b := onnx.New(onnx.Options{Library: library, Log: slog.New(slog.DiscardHandler), Accelerators: []onnx.Accelerator{fast}})
	defer b.Close()
	_, err := b.Load(t.Context(), specOf(t, onnxtest.AddSub(16).Bytes(), addSubConfig(accelerator("fast"))))
	want := " in " + library + " does not have (libonnxruntime_providers_tensorrt.so is not beside it); it has: CUDA, CPU. "
	if infer.CodeOf(err) != infer.Unsupported || !strings.Contains(err.Error(), want) {
		t.Errorf("%v\ndoes not say %q", err, want)
	}
	var out bytes.Buffer
	if err := runtimes.Answer(library, &out); err != nil {
		t.Fatal(err)
	}
	var report runtimes.Report
	if err := json.NewDecoder(&out).Decode(&report); err != nil || !slices.Equal(report.Short(), []string{"CUDA", "CPU"}) {
		t.Errorf("%v, %v", report.Short(), err)
	}
}
