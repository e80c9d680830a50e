package checkcmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/checkcmd"
	"conch/build/golden"
)

const root = "../.."

// TestBroken shows examples/broken as a person sees it at the terminal.
func TestBroken(t *testing.T) {
	t.Chdir(filepath.Join(root, "examples"))
	var text bytes.Buffer
	if status := checkcmd.Run(t.Context(), []string{"broken"}, checkcmd.Options{}, &text); status != 1 {
		t.Errorf("exit status %d", status)
	}
	golden.File(t, "../app/checkcmd/testdata/broken.txt", text.String())
}

func TestBrokenJSON(t *testing.T) {
	t.Chdir(filepath.Join(root, "examples"))
	var out bytes.Buffer
	if status := checkcmd.Run(t.Context(), []string{"broken"}, checkcmd.Options{Format: checkcmd.FormatJSON}, &out); status != 1 {
		t.Errorf("exit status %d", status)
	}
	var answer struct {
		Diagnostics []struct{ File, Severity, Code string }
		Summary     struct{ Models, Refused, Errors int }
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	folders, err := filepath.Glob("broken/*/config.pbtxt")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Summary.Models != len(folders) || answer.Summary.Refused != len(folders)-1 {
		t.Errorf("%d models, summary %+v", len(folders), answer.Summary)
	}
	golden.File(t, "../app/checkcmd/testdata/broken.json", out.String())
}

// TestExamples: the example models have no errors.
func TestExamples(t *testing.T) {
	t.Chdir(filepath.Join(root, "examples"))
	var text bytes.Buffer
	if status := checkcmd.Run(t.Context(), []string{"repository"}, checkcmd.Options{}, &text); status != 0 {
		t.Errorf("exit status %d\n%s", status, &text)
	}
	if want := "5 models: nothing wrong\n"; text.String() != want {
		t.Errorf("got %q", text.String())
	}
}

// TestVerdict: where only the server's own backends decide, the last line does not say that Triton takes the model.
func TestVerdict(t *testing.T) {
	const backend = `backend: "ours" input { name: "a" data_type: TYPE_FP32 dims: 1 } output { name: "b" data_type: TYPE_FP32 dims: 1 }`
	files := map[string]string{"own/config.pbtxt": backend, "own/1/model.bin": ""}
	for _, c := range []struct {
		more, want string
		status     int
	}{
		{"", "1 model: 0 errors, 1 warning; Triton may refuse 1: see what the warnings say that the server needs\n", 0},
		{"max_batch_size: -1", "2 models: 1 error, 1 warning; Triton would refuse 1, and may refuse 1 more\n", 1},
	} {
		if c.more != "" {
			files["wrong/config.pbtxt"], files["wrong/1/model.onnx"] = c.more+` backend: "python"`, ""
			files["wrong/1/model.py"] = "class TritonPythonModel:\n    def execute(self, requests):\n        return []\n"
		}
		status, out := judged(t, checkcmd.Options{}, lay(t, files))
		if !strings.HasSuffix(out, c.want) || !strings.Contains(out, "Triton may say: unable to find backend library") || status != c.status {
			t.Errorf("status %d, want the end %q:\n%s", status, c.want, out)
		}
	}
}

func TestCouldNot(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, status := range map[string]int{
		"missing": checkcmd.Run(t.Context(), []string{filepath.Join(t.TempDir(), "no")}, checkcmd.Options{}, new(bytes.Buffer)),
		"format":  checkcmd.Run(t.Context(), []string{t.TempDir()}, checkcmd.Options{Format: "xml"}, new(bytes.Buffer)),
		"stopped": checkcmd.Run(stopped, []string{root + "/examples/repository"}, checkcmd.Options{}, new(bytes.Buffer)),
	} {
		if status != checkcmd.CouldNot {
			t.Errorf("%s: exit status %d", name, status)
		}
	}
}

// TestOddRepositories: folders that are not models, that cannot be read, or whose name exists twice.
func TestOddRepositories(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, path := range []string{first + "/.git/HEAD", first + "/twice/1/model.py", second + "/twice/1/model.py", first + "/folder/1/model.py"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(first+"/folder/config.pbtxt", 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if status := checkcmd.Run(t.Context(), []string{first, second}, checkcmd.Options{Color: true}, &out); status != 1 {
		t.Errorf("exit status %d", status)
	}
	for _, want := range []string{"[STRAY]", "[DUPLICATE]", "is a folder, not a file", "\x1b[1;31merror"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
