package language_test

import (
	"fmt"
	"slices"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

// TestFindTensors: tensors are found by their names and their models', whole names first, also those
// between the steps of an ensemble, and each one once.
func TestFindTensors(t *testing.T) {
	root := t.TempDir()
	plain(t, root, "digits", `backend: "python" max_batch_size: 8
input { name: "image" data_type: TYPE_FP32 dims: [ 64 ] }
output { name: "digit_image" data_type: TYPE_STRING dims: [ 1 ] }
`)
	plain(t, root, "pipeline", `platform: "ensemble"
input { name: "image" data_type: TYPE_FP32 dims: [ 4 ] }
output { name: "o" data_type: TYPE_FP32 dims: [ 4 ] }
ensemble_scheduling {
  step { model_name: "digits" model_version: -1 input_map { key: "image" value: "image" } output_map { key: "digit_image" value: "imaged" } }
  step { model_name: "digits" model_version: -1 input_map { key: "image" value: "imaged" } output_map { key: "digit_image" value: "o" } }
}
`)
	a := language.New(scan.New(root).Scan(nil), nil, language.Around{})
	find := func(text string, most int) []string {
		var found []string
		for _, f := range a.FindTensors(text, most) {
			where := string(f.In.Text()[f.Span.Start:f.Span.End])
			found = append(found, fmt.Sprintf("%s %s %s", f.Subject, f.Detail, where))
		}
		return found
	}
	for text, want := range map[string][]string{
		"IMAGE": {
			`input "image" of digits FP32 [-1, 64] "image"`, `tensor "image" of pipeline FP32 [4] "image"`,
			`tensor "imaged" of pipeline  "imaged"`, `output "digit_image" of digits BYTES [-1, 1] "digit_image"`,
		},
		"image pipe": {`tensor "image" of pipeline FP32 [4] "image"`, `tensor "imaged" of pipeline  "imaged"`},
		"pipe":       nil,
		"image none": nil,
		"  ":         nil,
	} {
		if got := find(text, 10); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
	if got := find("image", 1); len(got) != 1 {
		t.Errorf("one is asked for: %q", got)
	}
}
