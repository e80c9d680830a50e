package ort_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/ort"
)

// adapterLibrary is the library in the child's environment.
const adapterLibrary = "ADAPTER_LIBRARY"

// The adapters that a library finds are those of its providers, without processors. A process has one library.
func TestAdapters(t *testing.T) {
	library, working := filepath.Join(t.TempDir(), "libadapters.so"), onnxtest.Library(t)
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, "testdata/adapters.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("compile the library: %v\n%s", err, out)
	}
	if info, err := os.Stat(working); err == nil && info.IsDir() {
		working = filepath.Join(working, "libonnxruntime.so.1")
	}
	child := exec.Command(os.Args[0], "-test.run", "^TestAdaptersChild$")
	child.Env = append(os.Environ(), adapterLibrary+"="+library, "ADAPTERS_REAL="+working)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAdaptersChild(t *testing.T) {
	path := os.Getenv(adapterLibrary)
	if path == "" {
		t.Skip("it is a part of TestAdapters")
	}
	library, err := ort.Open(path, ort.Threads{Intra: 1, Inter: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := library.Adapters()
	want := []ort.Adapter{
		{Provider: "WebGpuExecutionProvider", Hardware: 1, Vendor: 0x1002, Device: 0x744c, Name: "AMD Radeon", Maker: "AMD", Place: "0000:03:00.0"},
		{Provider: "QNNExecutionProvider", NPU: true, Hardware: 2, Vendor: 0x5143, Device: 1},
		{Provider: "DmlExecutionProvider", Hardware: 1, Vendor: 0x1002, Device: 0x744c, Name: "AMD Radeon", Maker: "AMD", Place: "0000:03:00.0"},
		{Provider: "WebGpuExecutionProvider", Hardware: 3, Vendor: 0x10de, Device: 0x2330, Place: "0000:41:00.0"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}
