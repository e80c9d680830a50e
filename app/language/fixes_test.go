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

// TestFixes breaks an example in the ways that people do, and repairs it with the fixes that are
// offered.
func TestFixes(t *testing.T) {
	analysis := language.New(scan.New("../../examples/repository").Scan(nil), nil, language.Around{})
	tests := []struct{ name, model, old, broken, fix string }{
		{"data type", "digits", "TYPE_FP32\n    dims: [ 64 ]", "FP32\n    dims: [ 64 ]", "TYPE_FP32"},
		{"misspelt field", "digits", "max_batch_size", "max_batch_sise", "max_batch_size"},
		{"misspelt input", "digits", `name: "image"`, `name: "imgae"`, "image"},
		{"misspelt model of a step", "read_digit", `model_name: "digits_prepare"`, `model_name: "digit_prepare"`, "digits_prepare"},
		{"misspelt tensor of a step", "read_digit", "value: \"prepared\"\n      }\n      output_map", "value: \"preparde\"\n      }\n      output_map", "prepared"},
		{"missing input", "add_sub", "  {\n    name: \"INPUT0\"\n    data_type: TYPE_INT32\n    dims: [ 16 ]\n  },\n", "", "add what the model file has"},
		{"wrong shape", "digits", "dims: [ 64 ]", "dims: [ 63 ]", "64"},
		{"unclosed brace", "digits", "    dims: [ 64 ]\n  }\n", "    dims: [ 64 ]\n", "}"},
		{"unclosed list", "digits", "dims: [ 64 ]", "dims: [ 64", "]"},
		{"trailing comma", "digits", "dims: [ 64 ]", "dims: [ 64, ]", "comma"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, _ := analysis.Model(test.model)
			src := string(m.Text())
			if !strings.Contains(src, test.old) {
				t.Fatalf("%s is not in\n%s", test.old, src)
			}
			repaired, title := repair(t, analysis, test.model, strings.Replace(src, test.old, test.broken, 1))
			if !strings.Contains(title, test.fix) {
				t.Errorf("the fix is called %q", title)
			}
			with, again := analysis.With(test.model, []byte(repaired))
			if list := with.Diagnose(again); len(list) > 0 {
				t.Errorf("still wrong: %v\n%s", list, repaired)
			}
		})
	}
}

// repair applies the first fix that is offered.
func repair(t *testing.T, l *language.Analysis, model, src string) (repaired, title string) {
	t.Helper()
	with, m := l.With(model, []byte(src))
	list := with.Diagnose(m)
	i := slices.IndexFunc(list, func(d diag.Diagnostic) bool { return len(d.Fixes) > 0 })
	if i < 0 {
		t.Fatalf("no fix is offered: %v\n%s", list, src)
	}
	fix := list[i].Fixes[0]
	edits := slices.Clone(fix.Edits)
	slices.SortFunc(edits, func(a, b diag.Edit) int { return b.Span.Start - a.Span.Start })
	for _, e := range edits {
		src = src[:e.Span.Start] + e.New + src[e.Span.End:]
	}
	return src, fix.Title
}

// TestFixMakesFolder: a fix makes the first version folder of a model, for a Python model with a first program in it.
func TestFixMakesFolder(t *testing.T) {
	for backend, want := range map[string]diag.Edit{
		"onnxruntime": {File: "m/1/"},
		"python":      {File: "m/1/model.py", Makes: true},
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "m")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte("backend: \""+backend+"\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		analysis := language.New(scan.New(root).Scan(nil), nil, language.Around{})
		m, _ := analysis.Model("m")
		made := slices.ContainsFunc(analysis.Diagnose(m), func(d diag.Diagnostic) bool {
			return slices.ContainsFunc(d.Fixes, func(fix diag.Fix) bool {
				return fix.Edits[0].File == want.File && fix.Edits[0].Makes == want.Makes
			})
		})
		if !made {
			t.Errorf("%s: nothing makes %s", backend, want.File)
		}
	}
}
