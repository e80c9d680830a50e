package main

import (
	"os"
	"path/filepath"
	"testing"

	"conch/engine/control"
	"conch/repo/scan"
)

// TestNotesLoadNothing: a note beside the config changes nothing that serves, whether it comes, changes or goes. Labels,
// other files and a note that the config names do.
func TestNotesLoadNothing(t *testing.T) {
	top := t.TempDir()
	put := func(rel, text string) {
		t.Helper()
		path := filepath.Join(top, "m", rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	look := func() control.Found {
		return new(modelSource).translateModel(scan.New(top).Scan(nil).Model("m"))
	}
	put("1/model.onnx", "model")
	put("config.pbtxt", `output { label_filename: "todo.txt" }`)
	before := look()
	put("README.md", "first")
	put(".gitignore", "*.bin")
	put("README.md", "a longer text")
	if now := look(); now.FilesPrint != before.FilesPrint {
		t.Error("a README and a .gitignore load the model again")
	}
	for _, rel := range []string{"labels.txt", "prompt.md", "todo.txt", "warmup/README.md"} {
		before := look()
		put(rel, "text")
		if look().FilesPrint == before.FilesPrint {
			t.Errorf("%s does not load the model again", rel)
		}
	}
	before = look()
	put("1/README.md", "text")
	if look().Versions[0].Print == before.Versions[0].Print {
		t.Error("a file of the version does not load it again")
	}
}
