package ort_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/engine/backend/onnx/onnxtest"
	"conch/engine/backend/onnx/ort"
)

// pluginLibrary is the library in the child's environment.
const pluginLibrary = "PLUGIN_LIBRARY"

// besidePlugin runs a test in a process of its own, whose ONNX Runtime has OpenVINO's plug-in beside it, and returns what that was told.
func besidePlugin(t *testing.T, test string, devices int, plugin []byte) string {
	t.Helper()
	dir, working := t.TempDir(), onnxtest.Library(t)
	library, told := filepath.Join(dir, "libonnxruntime.so.1"), filepath.Join(dir, "told")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-I.", "-o", library, "testdata/plugin.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("compile the library: %v\n%s", err, out)
	}
	if info, err := os.Stat(working); err == nil && info.IsDir() {
		working = filepath.Join(working, "libonnxruntime.so.1")
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, ort.OpenVINOPlugin), plugin, 0o600), os.WriteFile(told, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.v")
	child.Env = append(os.Environ(), pluginLibrary+"="+library, "PLUGIN_REAL="+working, "PLUGIN_REPORT="+told, fmt.Sprintf("PLUGIN_DEVICES=%d", devices))
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), dir, "DIR")
}

// openedBesidePlugin is the library of a child.
func openedBesidePlugin(t *testing.T) *ort.Library {
	t.Helper()
	path := os.Getenv(pluginLibrary)
	if path == "" {
		t.Skip("another test runs it")
	}
	library, err := ort.Open(path, ort.Threads{Intra: 1, Inter: 1})
	if err != nil {
		t.Fatal(err)
	}
	return library
}

// appendOpenVINO adds OpenVINO to new options.
func appendOpenVINO(t *testing.T, l *ort.Library, settings map[string]string) error {
	t.Helper()
	options, err := l.NewOptions()
	if err != nil {
		t.Fatal(err)
	}
	defer options.Close()
	return options.AppendOpenVINO(settings)
}

func wholeLibrary(t *testing.T) []byte {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// OpenVINO's plug-in is found beside ONNX Runtime, and device_type says which of its devices runs a model.
func TestPlugin(t *testing.T) {
	got := besidePlugin(t, "TestPluginChild", 5, wholeLibrary(t))
	want := "register openvino DIR/" + ort.OpenVINOPlugin + `
append OpenVINOExecutionProvider CPU num_streams=2
append OpenVINOExecutionProvider GPU.1
append OpenVINOExecutionProvider GPU.0
append OpenVINOExecutionProvider.AUTO CPU OpenVINOExecutionProvider.AUTO GPU.0
`
	if got != want {
		t.Errorf("the plug-in was told\n%s", got)
	}
}

func TestPluginChild(t *testing.T) {
	l := openedBesidePlugin(t)
	if list, err := l.Providers(); err != nil || !slices.Contains(list, "OpenVINOExecutionProvider") || l.PluginTrouble() != nil {
		t.Errorf("%v, %v, %v", list, err, l.PluginTrouble())
	}
	if list, err := l.Adapters(); err != nil || len(list) != 3 {
		t.Errorf("%v, %v", list, err) // without processors
	}
	for _, settings := range []map[string]string{{"num_streams": "2"}, {"device_type": "GPU.1"}, {"device_type": "GPU"}, {"device_type": "AUTO"}} {
		if err := appendOpenVINO(t, l, settings); err != nil {
			t.Errorf("%v: %v", settings, err)
		}
	}
	err := appendOpenVINO(t, l, map[string]string{"device_type": "NPU"})
	if err == nil || !strings.Contains(err.Error(), "OpenVINO has no device NPU here; device_type can be CPU, GPU.0, GPU.1, AUTO") {
		t.Error(err)
	}
}

// Where the plug-in finds nothing of Intel, ONNX Runtime works, and anyone who asks for OpenVINO hears why there is none.
func TestPluginWithoutDevices(t *testing.T) {
	besidePlugin(t, "TestPluginWithoutDevicesChild", 0, wholeLibrary(t))
}

func TestPluginWithoutDevicesChild(t *testing.T) {
	l := openedBesidePlugin(t)
	if err := appendOpenVINO(t, l, nil); !errors.Is(l.PluginTrouble(), ort.ErrNoIntel) || err == nil || !strings.Contains(err.Error(), ort.ErrNoIntel.Error()) {
		t.Errorf("%v, %v", err, l.PluginTrouble())
	}
}

// A plug-in that was cut off is not opened, which would end the process.
func TestPluginThatIsCutOff(t *testing.T) {
	program := wholeLibrary(t)
	if told := besidePlugin(t, "TestPluginThatIsCutOffChild", 5, program[:len(program)/2]); told != "" {
		t.Errorf("it was opened: %s", told)
	}
}

func TestPluginThatIsCutOffChild(t *testing.T) {
	l := openedBesidePlugin(t)
	if err := appendOpenVINO(t, l, nil); err == nil || !strings.Contains(err.Error(), ort.OpenVINOPlugin+" is damaged: ") {
		t.Error(err)
	}
}
