package language_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/language"
	"conch/configedit/check/checktest"
	"conch/repo/scan"
)

const torchText = `platform: "pytorch_libtorch"
input [ { name: "image" data_type: TYPE_FP32 dims: [ 64 ] }, { name: "mask" data_type: TYPE_FP32 dims: [ 64 ] } ]
output [ { name: "OUTPUT__0" data_type: TYPE_FP32 dims: [ 10 ] } ]
`

// TestTorch checks a config against a TorchScript archive on disk, drafts one from it, and describes a
// plan.
func TestTorch(t *testing.T) {
	root := t.TempDir()
	write := func(rel string, content []byte) {
		t.Helper()
		path := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	archive := checktest.TorchArchive(t, "forward (image: Tensor, mask: Tensor) -> Tensor\n")
	write("pt/config.pbtxt", []byte(torchText))
	write("pt/1/model.pt", archive)
	write("bare/1/model.pt", archive)
	write("cut/config.pbtxt", []byte(torchText))
	write("cut/1/model.pt", archive[:40])
	write("plan/1/model.plan", checktest.Plan("plan 10.3.0.26"))
	write("none/1/model.plan", []byte("nothing of the kind"))
	write("python/config.pbtxt", []byte(torchText+"runtime: \"model.py\"\n"))
	write("python/1/model.pt", []byte("weights"))
	write("beside/1/model.plan", checktest.Plan("plan 10.3.0.26")) // sorts before the PyTorch file
	write("beside/1/model.pt", []byte("weights"))
	analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	for name, want := range map[string]string{"pt": "", "cut": "PT1", "bare": "L6", "plan": "", "none": "TRT0", "python": "", "beside": ""} {
		m, _ := analysis.Model(name)
		if got := codes(analysis, m); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	m, _ := analysis.Model("pt")
	if note := m.Compare(m.Settled()).Note; note != "TorchScript: forward(image: Tensor, mask: Tensor) returns Tensor." {
		t.Errorf("note: %s", note)
	}
	if with, typed := analysis.With("pt", []byte(strings.Replace(torchText, "mask", "masc", 1))); codes(with, typed) != "PT8" {
		t.Errorf("typed: %s", codes(with, typed))
	}
	if got := row(m.Compare(m.Settled()), "input mask", "argument of forward"); got.ModelFile != "mask: Tensor, place 1" || got.Differs {
		t.Errorf("%+v", got)
	}
	if got := row(m.Compare(m.Settled()), "output OUTPUT__0", "given by forward"); got.ModelFile != "Tensor, place 0" {
		t.Errorf("%+v", got)
	}
	_, typed := analysis.With("pt", []byte(strings.Replace(torchText, "mask", "masc", 1)))
	if got := row(typed.Compare(typed.Settled()), "input masc", "argument of forward"); got.ModelFile != "mask: Tensor, place 1" || !got.Differs {
		t.Errorf("%+v", got)
	}
	bare, _ := analysis.Model("bare")
	draft, err := bare.Draft()
	if err != nil || !strings.HasPrefix(string(draft), "# dims: a guess") || !strings.Contains(string(draft), `name: "mask"`) {
		t.Fatalf("%v\n%s", err, draft)
	}
	if with, again := analysis.With("bare", draft); codes(with, again) != "" {
		t.Errorf("what was drafted: %s", codes(with, again))
	}
	for _, name := range []string{"python", "beside"} {
		if m, _ := analysis.Model(name); strings.Contains(m.Compare(m.Settled()).Note, "cannot be read") {
			t.Errorf("%s: %s", name, m.Compare(m.Settled()).Note)
		}
	}
	plan, _ := analysis.Model("plan")
	if note := plan.Compare(plan.Settled()).Note; !strings.Contains(note, "made by TensorRT 10.3.0.26") {
		t.Errorf("note: %s", note)
	}
}
