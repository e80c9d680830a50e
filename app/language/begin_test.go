package language_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/app/language"
	"conch/configedit/backends"
	"conch/configedit/check/checktest"
	"conch/configedit/derive"
	"conch/configedit/diag"
	"conch/configedit/modelconfig"
	"conch/configedit/rule"
	"conch/repo/scan"
)

// TestBegin: a first config is well-formed and names its backend, also a backend that Conch does not
// know.
func TestBegin(t *testing.T) {
	for _, backend := range []string{backends.ONNXRuntime, backends.Ensemble, "python", "kaldi"} {
		decoded, found := modelconfig.Parse("config.pbtxt", []byte(language.Begin("m", backend)))
		if cfg := decoded.Config; diag.HasErrors(found) || cfg.Name != "m" || cfg.Backend != backend && cfg.Platform != backend {
			t.Errorf("%s: the config is for backend %q and platform %q, %v", backend, cfg.Backend, cfg.Platform, found)
		}
	}
}

// TestBeginNamesAPlatform: where the files of a model would tell its platform, a first config is not refused before they are
// there.
func TestBeginNamesAPlatform(t *testing.T) {
	root := t.TempDir()
	for _, b := range backends.All() {
		if err := os.MkdirAll(filepath.Join(root, b.Name, "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, b.Name, "config.pbtxt"), []byte(language.Begin(b.Name, b.Name)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	for _, b := range backends.All() {
		m, _ := analysis.Model(b.Name)
		for _, d := range analysis.Diagnose(m) {
			if d.Code == rule.G5.ID {
				t.Errorf("the first config of a %s model: %s", b.Name, d.Message)
			}
		}
	}
}

// TestDraftOfOpenVINO: the first config lists what the file says. What Conch does not read is left to OpenVINO.
func TestDraftOfOpenVINO(t *testing.T) {
	root := t.TempDir()
	write := func(rel, content string) {
		t.Helper()
		file := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	draft := func(name, want string) {
		t.Helper()
		m, _ := language.New(scan.New(root).Scan(nil), nil, language.Around{}).Model(name)
		text, err := m.Draft()
		if err != nil || string(text) != want {
			t.Errorf("%v\n%s", err, text)
		}
	}
	const left = "OpenVINO reads the inputs and outputs from the file when the model is loaded: the config leaves them out"
	write("net/1/model.xml", "<net/>")
	draft("net", "# backend: "+left+"\nname: \"net\"\nbackend: \"openvino\"\n")
	write("net/1/model.xml", checktest.OpenVINO(t, "input image f32 [-1,64]\noutput scores f32 [-1,10]\n"))
	draft("net", `# max_batch_size: every tensor in the file begins with a dimension of any size
name: "net"
backend: "openvino"
max_batch_size: 4
input [
  {
    name: "image"
    data_type: TYPE_FP32
    dims: [ 64 ]
  }
]
output [
  {
    name: "scores"
    data_type: TYPE_FP32
    dims: [ 10 ]
  }
]
`)
	write("lite/config.pbtxt", "backend: \"openvino\"\ndefault_model_filename: \"net.tflite\"\n")
	write("lite/1/net.tflite", "TFL3")
	draft("lite", "# "+left+".\nname: \"lite\"\nbackend: \"openvino\"\n")
}

// TestTyped: a known text is not examined again; another text is.
func TestTyped(t *testing.T) {
	a := examples()
	m, _ := a.Model("digits")
	if same, known := a.Typed("digits", m.Text()); same != a || known != m {
		t.Error("a text that is known is examined again")
	}
	if other, typed := a.Typed("digits", append(slices.Clone(m.Text()), '\n')); other == a || typed == m {
		t.Error("another text is not examined")
	}
}

// TestEffectiveText: each filled-in value is named with its line in the text.
func TestEffectiveText(t *testing.T) {
	_, m := examples().With("digits", []byte("backend: \"onnxruntime\"\n"))
	text, filled := m.Settled().Text()
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(filled, func(f language.FilledLine) bool { return language.PathText(f.Path) == "name" })
	if at < 0 || !strings.Contains(lines[filled[at].Line-1], "digits") {
		t.Errorf("filled in are %+v in\n%s", filled, text)
	}
}

// TestLabels: a label file is read in the model's folder, and nowhere else.
func TestLabels(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "m")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "config.pbtxt"): "name: \"m\"\n", filepath.Join(dir, "labels.txt"): "zero\r\none\n", filepath.Join(root, "outside.txt"): "secret\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, _ := language.New(scan.New(root).Scan(nil), nil, language.Around{}).Model("m")
	for name, want := range map[string][]string{"labels.txt": {"zero", "one"}, "../outside.txt": nil, "none.txt": nil, "": nil} {
		if got := m.Labels(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// TestSettledOn: the effective config is the one of a server that uses these GPUs for the model.
func TestSettledOn(t *testing.T) {
	_, m := examples().With("digits", []byte("backend: \"onnxruntime\"\n"))
	for _, c := range []struct {
		gpus   language.GPUs
		group  string
		reason string
	}{
		{language.GPUs{Numbers: []int32{0, 1}}, "KIND_GPU [0 1] 1", "KIND_AUTO means the GPU where there is one"},
		{language.GPUs{Why: "no CUDA works"}, "KIND_CPU [] 2", "KIND_AUTO means the CPU here: no CUDA works. In Triton, each GPU of its machine has the group's instances"},
		{
			language.GPUs{Why: "no CUDA works", Adapter: "WebGPU"}, "KIND_CPU [] 2",
			"KIND_AUTO means KIND_CPU here, which runs by WebGPU: no CUDA works. In Triton, each GPU of its machine has the group's instances",
		},
	} {
		settled := m.SettledOn(c.gpus)
		group := settled.Config.InstanceGroup[0]
		if got := fmt.Sprint(group.Kind, group.Gpus, group.Count); got != c.group {
			t.Errorf("%v: %s, want %s", c.gpus, got, c.group)
		}
		if !slices.ContainsFunc(settled.Filled, func(f derive.Filled) bool { return f.Reason == c.reason }) {
			t.Errorf("%v: no reason is %q: %v", c.gpus, c.reason, settled.Filled)
		}
	}
}
