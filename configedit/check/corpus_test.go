package check_test

import (
	"strings"
	"testing"

	"conch/build/golden"
	"conch/configedit/check"
	"conch/configedit/check/checktest"
	"conch/configedit/diag"
)

// TestCorpus runs the cases of Triton's own tests that can be judged without running a model
// (docs/triton/validation.md, "Triton's own cases") and expects the same verdict in the same words.
// Each file of testdata/corpus is a repository; its section "want" says, for each model, what Triton
// says first, or "taken"; where a case has two lines, either will do.
//
// Left out are the Python models, whose auto_complete_config has to be run, GPU 42 and a backend
// called unknown, which another machine might have.
func TestCorpus(t *testing.T) {
	for file, cases := range map[string]int{"ensemble": 37, "onnx": 10, "other": 13} {
		t.Run(file, func(t *testing.T) { corpus(t, file, cases, func(files map[string]string) {}) })
	}
	for _, platform := range []string{"onnxruntime_onnx", "tensorrt_plan", "pytorch_libtorch"} {
		t.Run(platform, func(t *testing.T) {
			corpus(t, "platform", 57, func(files map[string]string) {
				files["strict"] = ""
				for name := range files {
					if strings.HasSuffix(name, "/config.pbtxt") {
						files[name] += "platform: \"" + platform + "\"\n"
					}
				}
			})
		})
	}
}

func corpus(t *testing.T, file string, cases int, change func(map[string]string)) {
	c := golden.Read(t, "testdata/corpus/"+file+golden.Extension)
	files := c.Files()
	change(files)
	r := checktest.New(t, files)
	want := map[string][]string{}
	for line := range strings.Lines(c.Wanted()) {
		name, sentence, _ := strings.Cut(strings.TrimSpace(line), ": ")
		want[name] = append(want[name], sentence)
	}
	if len(want) != cases {
		t.Errorf("%d cases, and there should be %d", len(want), cases)
	}
	for name, sentences := range want {
		m, ok := r.Model(name)
		if !ok {
			t.Errorf("%s: there is no such model", name)
			continue
		}
		if got := verdict(m, r); !answers(got, sentences) {
			t.Errorf("%s: Triton would say %q\nwant one of %q", name, got, sentences)
		}
	}
}

// verdict is what Triton would say of a model.
func verdict(m *check.Model, env check.Env) string {
	list := append(append([]diag.Diagnostic{}, m.Syntax...), check.Check(m, env)...)
	for _, d := range list {
		if d.First {
			return d.Triton
		}
	}
	if diag.HasErrors(list) {
		return "something else"
	}
	return "taken"
}

func answers(got string, sentences []string) bool {
	for _, s := range sentences {
		if s == got || s != "taken" && strings.Contains(got, s) {
			return true
		}
	}
	return false
}
