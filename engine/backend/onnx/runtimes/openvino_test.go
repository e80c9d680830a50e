package runtimes_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/engine/backend/onnx/ort"
	"conch/engine/backend/onnx/runtimes"
	"conch/engine/backend/python/environments/wheeltest"
)

// pluginPackage is OpenVINO's package, with what is taken of it and what is not.
func pluginPackage(t *testing.T, index wheeltest.Index) {
	t.Helper()
	index.Add(t, "onnxruntime_ep_openvino", "1.8.1", map[string]string{
		"onnxruntime_ep_openvino/" + ort.OpenVINOPlugin: "plug-in", "onnxruntime_ep_openvino/libopenvino.so.2641": "OpenVINO",
		"onnxruntime_ep_openvino/libtbb.so.12": "TBB", "onnxruntime_ep_openvino/cache.json": "{}",
		"onnxruntime_ep_openvino/third-party-programs.txt": "licences", "onnxruntime_ep_openvino/__init__.py": "",
	})
}

// A build of two packages has the libraries of both in one folder, whether pip downloads them or a folder has them.
func TestBuildOfTwoPackages(t *testing.T) {
	index := wheeltest.New(t)
	index.Add(t, "onnxruntime", "1.30.0", map[string]string{mainPart: "library", "onnxruntime/LICENSE": "MIT"})
	pluginPackage(t, index)
	offer := runtimes.OfferFor("openvino", "onnxruntime", "1.30.0", "").With(runtimes.OfferFor("", "onnxruntime-ep-openvino", "1.8.1", ""))
	if got := offer.Fetched(); got != "onnxruntime 1.30.0 and onnxruntime-ep-openvino 1.8.1" {
		t.Errorf("%q is downloaded", got)
	}
	var told []string
	for from, w := range map[string]runtimes.Wanted{
		"pip": {Offer: offer}, "a folder": {From: index.Dir},
	} {
		w.Tell = func(text string) { told = append(told, text) }
		s := storeIn(t.TempDir(), probeQuick)
		done, err := s.Install(t.Context(), w)
		if err != nil || done.Build.ID != "openvino-1.30.0" {
			t.Fatalf("from %s: %+v, %v", from, done, err)
		}
		var names []string
		entries, err := os.ReadDir(filepath.Dir(done.Build.Library))
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		want := []string{"LICENSE", "cache.json", "conch.json", "libonnxruntime.so.1", ort.OpenVINOPlugin, "libopenvino.so.2641", "libtbb.so.12", "third-party-programs.txt"}
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("from %s: %v, %v", from, names, err)
		}
		nothingLeft(t, s, 1)
	}
	if text := strings.Join(told, "\n"); !strings.Contains(text, "fetching onnxruntime 1.30.0\nfetching onnxruntime-ep-openvino 1.8.1") {
		t.Error(text)
	}
}

// The second package is compared with its hash as the first one is, and nothing is installed when it is another.
func TestSecondPackageIsChecked(t *testing.T) {
	index := wheeltest.New(t)
	index.Add(t, "onnxruntime", "1.30.0", map[string]string{mainPart: "library"})
	pluginPackage(t, index)
	offer := runtimes.OfferFor("openvino", "onnxruntime", "1.30.0", "").With(runtimes.OfferFor("", "onnxruntime-ep-openvino", "1.8.1", strings.Repeat("0", 64)))
	refused(t, storeIn(t.TempDir(), probeQuick), runtimes.Wanted{Offer: offer, Tell: func(string) {}}, "onnxruntime_ep_openvino-1.8.1", "damaged or was changed")
}

// The older package of OpenVINO brings an ONNX Runtime that is too old; the error names what works.
func TestOlderPackageOfOpenVINO(t *testing.T) {
	library, err := os.ReadFile(filepath.Join(compiled(t, oldLibrary), runtimes.LibraryName()))
	if err != nil {
		t.Fatal(err)
	}
	index := wheeltest.New(t)
	index.Add(t, "onnxruntime_openvino", "1.24.1", map[string]string{"onnxruntime/capi/libonnxruntime.so.1.24.1": string(library)})
	found, err := filepath.Glob(filepath.Join(index.Dir, "onnxruntime_openvino-*.whl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	refused(t, storeIn(t.TempDir(), probeReal), quiet(found[0]), "older than ONNX Runtime 1.", "`conch runtime install openvino` takes another package")
}

// An OpenVINO that has no device of Intel is told as what it lacks, and is no provider that can be used.
func TestOpenVINOWithoutDevices(t *testing.T) {
	dir := t.TempDir()
	source, err := os.ReadFile("../ort/testdata/plugin.c")
	if err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs("../ort")
	if err != nil {
		t.Fatal(err)
	}
	compile(t, filepath.Join(dir, runtimes.LibraryName()), string(source), "-I"+here, "-ldl")
	compile(t, filepath.Join(dir, ort.OpenVINOPlugin), "int plugin;")
	t.Setenv("PLUGIN_REAL", realLibrary(t))
	t.Setenv("PLUGIN_REPORT", filepath.Join(dir, "told"))
	for devices, lacks := range map[string][]runtimes.Lack{"0": {{Provider: "OpenVINO", Text: ort.ErrNoIntel.Error()}}, "1": nil} {
		t.Setenv("PLUGIN_DEVICES", devices)
		r, err := storeIn(dir, probeReal).Ask(t.Context(), filepath.Join(dir, runtimes.LibraryName()))
		if err != nil || slices.Contains(r.Short(), "OpenVINO") != (lacks == nil) || !slices.Equal(r.Lacks(), lacks) || len(runtimes.Advise(r, nil).Lines()) > 0 {
			t.Errorf("%s devices: %+v, %v", devices, r, err)
		}
	}
}

// Whether there is something of Intel is known before a download.
func TestIntel(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"a processor of Intel": {map[string]string{"proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\n"}, true},
		"of AMD":               {map[string]string{"proc/cpuinfo": "vendor_id\t: AuthenticAMD\n"}, false},
		"with a GPU of Intel":  {map[string]string{"proc/cpuinfo": "vendor_id\t: AuthenticAMD\n", "sys/class/drm/card1/device/vendor": "0x8086\n"}, true},
		"with another GPU":     {map[string]string{"proc/cpuinfo": "vendor_id\t: AuthenticAMD\n", "sys/class/drm/card0/device/vendor": "0x10de\n"}, false},
		"with an NPU of Intel": {map[string]string{"proc/cpuinfo": "vendor_id\t: AuthenticAMD\n", "sys/class/accel/accel0/device/vendor": "0x8086\n"}, true},
		"not told":             {nil, true},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := runtimes.IntelIn(root); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
