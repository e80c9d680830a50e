package layout_test

import (
	"testing"

	"conch/repo/layout"
)

func TestNoiseFile(t *testing.T) {
	noise := []string{
		".config.pbtxt.swp", "config.pbtxt~", "#config.pbtxt#", ".#config.pbtxt", "config.pbtxt.tmp",
		"config.pbtxt.bak", "model.onnx.part", ".model.onnx.aB3dE9", "sedAbC123", ".nfs000000001234",
		".goutputstream-XYZ", "config.pbtxt___jb_tmp___", "a.pyc", ".DS_Store", "x.tmp.12.34",
		".conch-config.pbtxt-123.tmp",
	}
	for _, name := range noise {
		if !layout.NoiseFile(name) {
			t.Errorf("NoiseFile(%q) = false", name)
		}
	}
	for _, name := range []string{"config.pbtxt", "model.onnx", "labels.txt", ".env", "4913", "sed.txt", "model.savedmodel"} {
		if layout.NoiseFile(name) {
			t.Errorf("NoiseFile(%q) = true", name)
		}
	}
}

func TestNote(t *testing.T) {
	for _, name := range []string{"README.md", "readme", "LICENSE", "Notes.txt", "model_card.md", ".gitignore", "CHANGELOG.rst"} {
		if !layout.Note(name) {
			t.Errorf("Note(%q) = false", name)
		}
	}
	for _, name := range []string{"config.pbtxt", "labels.txt", "prompt.md", "vocab.txt", "notes.json", "readme.py", ".env", "requirements.txt", ""} {
		if layout.Note(name) {
			t.Errorf("Note(%q) = true", name)
		}
	}
}

func TestNames(t *testing.T) {
	if name, ok := layout.VariantName("h100.pbtxt"); name != "h100" || !ok {
		t.Errorf("VariantName = %q, %v", name, ok)
	}
	for _, file := range []string{".pbtxt", "h100.txt", "h100.pbtxt~"} {
		if _, ok := layout.VariantName(file); ok {
			t.Errorf("VariantName(%q) is a variant", file)
		}
	}
	for name, want := range map[string]bool{"config": true, "config.pb": true, "config.pbtxt": false, "configs": false, "c": true, "": false} {
		if got := layout.ShadowsConfig(name); got != want {
			t.Errorf("ShadowsConfig(%q) = %v", name, got)
		}
	}
	for name, want := range map[string]bool{"labels.txt": true, "imagenet_classes.txt": true, "README": false, "coco.names": true, "notes.txt": false} {
		if got := layout.LooksLikeLabels(name); got != want {
			t.Errorf("LooksLikeLabels(%q) = %v", name, got)
		}
	}
}

func TestIsModelFile(t *testing.T) {
	for name, want := range map[string]bool{
		"model.onnx": true, "1/model.onnx": true, "model.py": true, "model.xml": true, "best.onnx": true, "best.pt2": true,
		"best.engine": true, "notes.txt": false, "utils.py": false, "pom.xml": false,
	} {
		if got := layout.IsModelFile(name); got != want {
			t.Errorf("IsModelFile(%q) = %v", name, got)
		}
	}
}
