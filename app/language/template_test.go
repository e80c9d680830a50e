package language_test

import (
	"slices"
	"testing"

	"conch/app/language"
	"conch/repo/scan"
)

func TestTemplate(t *testing.T) {
	analysis := language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{})
	src := []byte("backend: \"onnxruntime\"\nmax_batch_size: ${BATCH:-8}\n" +
		"input { name: \"image\" data_type: ${TYPE} dims: [ ${SIZE:-64} ] }\n" +
		"output { name: \"probabilities\" data_type: TYPE_FP32 dims: [ 10 ] label_filename: \"${LABELS}\" }\n")
	with, m := analysis.With("digits", src)
	gaps := with.Gaps(m)
	if len(gaps) != 4 || gaps[0].Name != "BATCH" || gaps[0].Default != "8" {
		t.Fatalf("%v", gaps)
	}
	if !slices.Contains(gaps[1].Suggestions, "TYPE_FP32") || !slices.Contains(gaps[3].Suggestions, "labels.txt") {
		t.Errorf("suggestions %v, %v", gaps[1].Suggestions, gaps[3].Suggestions)
	}
	if hints := with.Hints(m); len(hints) != 0 {
		t.Errorf("hints about shapes that are not known: %v", hints)
	}
	open, another := analysis.With("digits", []byte("backend: \"onnxruntime\"\nmax_batch_size: ${BATCH}\ninput { name: \"image\" data_type: TYPE_FP32 dims: [ 64 ] }\n"))
	if hints := open.Hints(another); len(hints) != 0 {
		t.Errorf("hints about a batch that is not known: %v", hints)
	}
	for _, d := range with.Diagnose(m) {
		if d.Severity.IsError() {
			t.Errorf("a template is no error: %v", d)
		}
	}
	filled := language.Fill(src, map[string]string{"BATCH": "8", "TYPE": "TYPE_FP32", "SIZE": "64", "LABELS": "labels.txt"})
	with, m = analysis.With("digits", filled)
	if list := with.Diagnose(m); len(list) > 0 || len(with.Gaps(m)) > 0 {
		t.Errorf("%s: %v", filled, list)
	}
}
