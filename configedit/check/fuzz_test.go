package check_test

import (
	"path/filepath"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
)

// FuzzCheck judges any text as a model, among others that an ensemble may name. Nothing panics, the answer is the
// same twice, and every place lies in the text.
func FuzzCheck(f *testing.F) {
	for _, c := range golden.Cases(f, "testdata") {
		for name, content := range c.Files() {
			if filepath.Base(name) == "config.pbtxt" {
				f.Add([]byte(content))
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		r := checktest.New(t, map[string]string{
			"m/config.pbtxt": string(src), "m/1/model.onnx": "input image TYPE_FP32 [-1, 64]\noutput scores TYPE_FP32 [-1, 10]\n",
			"inner/config.pbtxt": "backend: \"identity\"\nmax_batch_size: 8\ninput { name: \"image\" data_type: TYPE_FP32 dims: 64 }\n" +
				"output { name: \"scores\" data_type: TYPE_FP32 dims: 10 }\n",
			"inner/1/.keep": "", "prepare/1/model.py": "x",
			"e/config.pbtxt": "platform: \"ensemble\"\nensemble_scheduling { step { model_name: \"m\" input_map { key: \"image\" value: \"a\" } output_map { key: \"scores\" value: \"b\" } } }\n",
		})
		m, _ := r.Model("m")
		list := append(check.Check(m, r), check.Advise(m)...)
		for i, d := range list {
			if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(src) {
				t.Fatalf("%s lies at %v of %d bytes", d.Code, d.Span, len(src))
			}
			if d.Message == "" || d.Code == "" {
				t.Fatalf("diagnostic %d says nothing: %+v", i, d)
			}
		}
		for i, d := range check.Check(m, r) {
			if d.Code != list[i].Code || d.Span != list[i].Span || d.Message != list[i].Message {
				t.Fatalf("judged twice, %s %q and %s %q", list[i].Code, list[i].Message, d.Code, d.Message)
			}
		}
		check.Graph(m, r)
		check.Hints(m)
		e, _ := r.Model("e")
		check.Check(e, r)
	})
}
