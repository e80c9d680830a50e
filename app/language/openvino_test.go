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

// TestOpenVINO checks a config on disk and one being typed against a model.xml, which is then replaced.
func TestOpenVINO(t *testing.T) {
	root := t.TempDir()
	config := strings.Replace(savedConfig, `platform: "tensorflow_savedmodel"`, `backend: "openvino"`, 1)
	if err := os.MkdirAll(filepath.Join(root, "ov", "1"), 0o755); err != nil {
		t.Fatal(err)
	}
	read := func(file, content string) *language.Analysis {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, "ov", file), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return language.New(scan.New(root).Scan(nil), nil, language.Around{})
	}
	const file = "1/model.xml"
	read("config.pbtxt", config)
	analysis := read(file, checktest.OpenVINO(t, "input image f32 [1,64]\noutput scores f32 [1,10]\n"))
	m, _ := analysis.Model("ov")
	if got := codes(analysis, m); got != "" {
		t.Errorf("as it should be: %s", got)
	}
	if note := m.Compare(m.Settled()).Note; note != "OpenVINO model: the inputs are image, the outputs scores." {
		t.Errorf("note: %s", note)
	}
	with, typed := analysis.With("ov", []byte(strings.Replace(config, "64", "63", 1)))
	if got := codes(with, typed); got != "OV4" {
		t.Errorf("typed: %s", got)
	}
	compared := typed.Compare(typed.Settled())
	if got := row(compared, "input image", "shape in requests"); compared.ModelFile != file || got.ModelFile != "[1, 64]" || !got.Differs {
		t.Errorf("%s: %+v", compared.ModelFile, got)
	}
	if got := row(compared, "output scores", "data_type"); got.ModelFile != "TYPE_FP32" || got.Differs {
		t.Errorf("%+v", got)
	}
	for content, want := range map[string]string{
		checktest.OpenVINO(t, "input another f32 [1,64]\noutput scores f32 [1,10]\n"): "OV2",
		"": "OV0", "no XML": "OV0",
	} {
		analysis = read(file, content)
		m, _ = analysis.Model("ov")
		if got := codes(analysis, m); got != want {
			t.Errorf("%q: %s, want %s", content, got, want)
		}
	}
}
