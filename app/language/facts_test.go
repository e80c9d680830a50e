package language_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/app/language"
	"conch/configedit/check/checktest"
	"conch/repo/scan"
)

// A file of version 10 does not belong to version 1, though the paths begin alike.
func TestModelFileOfAnotherVersion(t *testing.T) {
	root := t.TempDir()
	other := filepath.Join(root, "tf", "10", "model.savedmodel", "saved_model.pb")
	for _, dir := range []string{filepath.Dir(other), filepath.Join(root, "tf", "1")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	content := checktest.SavedModel(t, "graph serve\nsignature serving_default x\ninput image 1 [-1, 64]\noutput scores 1 [-1, 10]\n")
	if err := os.WriteFile(other, content, 0o644); err != nil {
		t.Fatal(err)
	}
	index := scan.New(root).Scan(nil)
	folder := *index.Model("tf")
	folder.Versions = folder.Versions[:1] // as if version 10 did not exist
	index.Models[0] = &folder
	config := "platform: \"tensorflow_savedmodel\"\ndefault_model_filename: \"../10/model.savedmodel\"\n"
	_, m := language.New(index, nil, language.Around{}).With("tf", []byte(config))
	if got := m.Compare(m.Settled()).ModelFile; got != "" {
		t.Errorf("the file of another version was read: %s", got)
	}
}
