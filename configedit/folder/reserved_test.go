package folder_test

import (
	"testing"

	"conch/configedit/folder"
)

func TestIsConfig(t *testing.T) {
	for file, want := range map[string]bool{
		"config.pbtxt": true, "configs/a100.pbtxt": true, "configs/notes.txt": false, "1/model.onnx": false, "labels.pbtxt": false, "1/configs/a.pbtxt": false,
	} {
		if got := folder.IsConfig(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}
