package language_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/app/language"
	"conch/configedit/diag"
	"conch/repo/scan"
)

// A file outside the model's folder is an error in the workbench, whose engine does not open it, and a
// warning where another server is asked about. The same holds for a link that leaves the repository.
func TestFilesOutsideOfTheModel(t *testing.T) {
	const config = `backend: "python"
max_batch_size: 4
input { name: "in" data_type: TYPE_INT32 dims: 2 }
output { name: "out" data_type: TYPE_INT32 dims: 2 }
model_warmup { name: "s" batch_size: 1 inputs { key: "in" value { data_type: TYPE_INT32 dims: 2 input_data_file: "FILE" } } }
`
	away := filepath.Join(t.TempDir(), "secret")
	put(t, away, "01234567")
	for file, want := range map[string]string{
		"own":         "",
		"../own":      "",
		"shared":      "",
		"../../other": "is outside the model's folder",
		"link":        "is a link to " + away + ", outside the repository",
	} {
		root := t.TempDir()
		put(t, filepath.Join(root, "m", "config.pbtxt"), strings.Replace(config, "FILE", file, 1))
		put(t, filepath.Join(root, "m", "1", "model.py"), "class TritonPythonModel: pass\n")
		for _, path := range []string{"m/warmup/own", "m/own", "other"} {
			put(t, filepath.Join(root, path), "01234567")
		}
		for name, target := range map[string]string{"shared": "../../other", "link": away} {
			if err := os.Symlink(target, filepath.Join(root, "m", "warmup", name)); err != nil {
				t.Fatal(err)
			}
		}
		index := scan.New(root).Scan(nil)
		for severity, analysis := range map[diag.Severity]*language.Analysis{diag.Error: language.New(index, nil, language.Around{}), diag.Warning: language.As(index, language.Flags{})} {
			m, _ := analysis.Model("m")
			_, typed := analysis.With("m", m.Text())
			for _, model := range []*language.Model{m, typed} {
				list := analysis.Diagnose(model)
				i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Code == "WU8" })
				switch {
				case want == "" && len(list) > 0:
					t.Errorf("%s: %v", file, list)
				case want != "" && (i < 0 || len(list) > 1 || list[i].Severity != severity || !strings.Contains(list[i].Message, want)):
					t.Errorf("%s, wanted as %v: %v", file, severity, list)
				}
			}
		}
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
