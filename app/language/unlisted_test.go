package language_test

import (
	"strings"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// A file may be where a scan did not look. Only files that are missing elsewhere are reported as
// missing.
func TestNothingIsMissingWhereNobodyLooked(t *testing.T) {
	root := t.TempDir()
	index := scan.New(root).Scan(nil)
	index.Models = []*scan.Model{{
		Name: "m", Dir: root + "/m", Root: root, Unlisted: []string{"assets/deep"}, Subdirs: []string{"1"},
		Versions: []scan.Version{{Number: 1, Dir: root + "/m/1", Files: []scan.File{{Path: "model.onnx", Size: 1}}}},
	}}
	for file, want := range map[string]bool{"assets/deep/labels.txt": false, "assets/labels.txt": true, "assets/deeper.txt": true} {
		config := "backend: \"onnxruntime\"\noutput [ { name: \"o\" data_type: TYPE_FP32 dims: [ 1 ] label_filename: \"" + file + "\" } ]\n"
		analysis, m := language.New(index, nil, language.Around{}).With("m", []byte(config))
		if got := strings.Contains(codes(analysis, m), "L8"); got != want {
			t.Errorf("%s is said to be missing: %v", file, got)
		}
	}
}
