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

const savedConfig = `platform: "tensorflow_savedmodel"
max_batch_size: 8
input [ { name: "image" data_type: TYPE_FP32 dims: [ 64 ] } ]
output [ { name: "scores" data_type: TYPE_FP32 dims: [ 10 ] } ]
`

// TestSavedModel checks a config on disk and one being typed against a saved model, which is then
// replaced.
func TestSavedModel(t *testing.T) {
	root := t.TempDir()
	write := func(rel string, content []byte) {
		t.Helper()
		path := filepath.Join(root, "tf", rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	model := func(input string) []byte {
		return checktest.SavedModel(t, "graph serve\nsignature serving_default x\ninput "+input+" 1 [-1, 64]\noutput scores 1 [-1, 10]\n")
	}
	write("config.pbtxt", []byte(savedConfig))
	write("1/model.savedmodel/saved_model.pb", model("image"))
	analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	m, _ := analysis.Model("tf")
	if got := codes(analysis, m); got != "" {
		t.Errorf("as it should be: %s", got)
	}
	if note := m.Compare(m.Settled()).Note; !strings.Contains(note, `"serving_default" has the inputs image and the outputs scores`) {
		t.Errorf("note: %s", note)
	}
	with, typed := analysis.With("tf", []byte(strings.Replace(savedConfig, "64", "63", 1)))
	if got := codes(with, typed); got != "TF6" {
		t.Errorf("typed: %s", got)
	}
	compared := typed.Compare(typed.Settled())
	if got := row(compared, "input image", "shape in requests"); compared.ModelFile != "1/model.savedmodel/saved_model.pb" || got.ModelFile != "[-1, 64]" || !got.Differs {
		t.Errorf("%s: %+v", compared.ModelFile, got)
	}
	if got := row(compared, "output scores", "data_type"); got.ModelFile != "TYPE_FP32" || got.Differs {
		t.Errorf("%+v", got)
	}
	if got := row(compared, "", "max_batch_size"); got.ModelFile != "any batch" || got.Differs {
		t.Errorf("%+v", got)
	}
	write("1/model.savedmodel/saved_model.pb", model("another"))
	analysis = language.New(scan.New(root).Scan(nil), analysis, language.Around{})
	m, _ = analysis.Model("tf")
	if got := codes(analysis, m); got != "TF4" {
		t.Errorf("made again: %s", got)
	}
	write("1/model.savedmodel/saved_model.pb", []byte("not at all what it should be"))
	analysis = language.New(scan.New(root).Scan(nil), analysis, language.Around{})
	m, _ = analysis.Model("tf")
	if got := codes(analysis, m); got != "TF0" {
		t.Errorf("broken: %s", got)
	}
}

func codes(a *language.Analysis, m *language.Model) string {
	var list []string
	for _, d := range a.Diagnose(m) {
		list = append(list, d.Code)
	}
	return strings.Join(list, " ")
}

// row returns a line of a comparison below a heading; "" means no heading.
func row(c language.Comparison, heading, label string) language.Compared {
	under := ""
	for _, f := range c.Fields {
		if f.Depth == 0 {
			under = ""
		}
		if f.Group && f.Depth == 0 {
			under = f.Label
		}
		if under == heading && f.Label == label {
			return f
		}
	}
	return language.Compared{}
}
