package handover_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"conch/app/handover"
	"conch/app/language"
	"conch/build/golden"
	"conch/configedit/release"
)

// TestExports makes the export of each case. A case has a section "export" with the options, files of repositories, and
// links as "FILE -> TARGET".
func TestExports(t *testing.T) {
	golden.Each(t, "testdata", func(t *testing.T, c *golden.Case) {
		dir := t.TempDir()
		for name, text := range c.Files() {
			if strings.Contains(name, "/") {
				write(t, filepath.Join(dir, name), text)
			}
		}
		for line := range strings.Lines(c.Files()["links"]) {
			from, to, _ := strings.Cut(strings.TrimSpace(line), " -> ")
			if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
				t.Fatal(err)
			}
		}
		opts := options(t, dir, c.Text(t, "export"))
		e, err := handover.Prepare(t.Context(), opts)
		if err != nil {
			c.Want(strings.ReplaceAll(err.Error(), dir, "/DIR") + "\n")
			return
		}
		shown := func(text string) string { return strings.ReplaceAll(text, dir, "/DIR") }
		var told strings.Builder
		for _, p := range e.Problems {
			fmt.Fprintf(&told, "problem: %s | %s | %s | %s\n", p.Model, p.Path, p.Rule, p.Text)
		}
		for _, n := range e.Notes {
			fmt.Fprintf(&told, "note: %s\n", n)
		}
		c.Want(shown(told.String()))
		for _, f := range e.Files {
			c.WantPart(f.Name, shown(f.Text))
			decode(t, f)
		}
	})
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// options reads the section of a case.
func options(t *testing.T, dir, text string) handover.Options {
	t.Helper()
	opts := handover.Options{Flags: language.Flags{Release: release.Newest()}}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case "target":
			opts.Target = handover.Target(value)
		case "release":
			opts.Flags.Release = release.Find(value)
		case "roots":
			for name := range strings.FieldsSeq(value) {
				opts.Roots = append(opts.Roots, filepath.Join(dir, name))
			}
		case "storage":
			opts.Storage = value
		case "name":
			opts.Name = value
		case "strict":
			opts.Flags.Strict = true
		case "measured":
			opts.Measured = uint64(number(t, value))
		case "gpus":
			opts.Flags.GPUs = new(number(t, value))
		default:
			t.Fatalf("no option is called %q", key)
		}
	}
	return opts
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTooNewForTheRelease: the example model needs an ONNX Runtime that 24.10 does not have, and the next release runs it.
func TestTooNewForTheRelease(t *testing.T) {
	opts := handover.Options{Target: handover.Compose, Roots: []string{"../../examples/repository"}, Flags: language.Flags{Release: release.Find("24.10")}}
	e, err := handover.Prepare(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Problems) == 0 || e.Problems[0].Model != "digits_prepare" || !strings.Contains(e.Problems[0].Text, "ONNX Runtime 1.19.2") {
		t.Errorf("%+v", e.Problems)
	}
	opts.Flags.Release = release.Find("24.12")
	if e, err = handover.Prepare(t.Context(), opts); err != nil || len(e.Problems) > 0 {
		t.Error(err, e.Problems)
	}
}

// TestTimeToStart: 140 GB are not read in ten minutes, and neither the pod nor the rollout is given up before.
func TestTimeToStart(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "models/big/config.pbtxt"), "backend: \"python\"\ninput { name: \"IN\" data_type: TYPE_FP32 dims: 4 }\noutput { name: \"OUT\" data_type: TYPE_FP32 dims: 4 }\n")
	write(t, filepath.Join(dir, "models/big/1/model.py"), "class TritonPythonModel:\n    def execute(self, requests):\n        return []\n")
	write(t, filepath.Join(dir, "models/big/1/weights.bin"), "")
	if err := os.Truncate(filepath.Join(dir, "models/big/1/weights.bin"), 140<<30); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[handover.Target][]string{
		handover.Kubernetes: {"failureThreshold: 480", "progressDeadlineSeconds: 5400"},
		handover.Compose:    {"start_period: 1h20m0s"},
	} {
		opts := handover.Options{Target: target, Roots: []string{filepath.Join(dir, "models")}, Flags: language.Flags{Release: release.Newest()}}
		if target == handover.Kubernetes {
			opts.Storage = "pvc:models"
		}
		e, err := handover.Prepare(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(e.Files[0].Text, text) {
				t.Errorf("%q is not in\n%s", text, e.Files[0].Text)
			}
		}
	}
}

// TestSharedMemoryOfManyModels: 300 Python models do not ask for 19 GiB.
func TestSharedMemoryOfManyModels(t *testing.T) {
	dir := t.TempDir()
	for i := range 300 {
		model := filepath.Join(dir, "models", fmt.Sprintf("model_%03d", i))
		write(t, filepath.Join(model, "config.pbtxt"), "backend: \"python\"\ninput { name: \"IN\" data_type: TYPE_FP32 dims: 4 }\noutput { name: \"OUT\" data_type: TYPE_FP32 dims: 4 }\n")
		write(t, filepath.Join(model, "1/model.py"), "class TritonPythonModel:\n    def execute(self, requests):\n        return []\n")
	}
	opts := handover.Options{
		Target: handover.Kubernetes, Roots: []string{filepath.Join(dir, "models")}, Storage: "pvc:models", Measured: 1 << 30,
		Flags: language.Flags{Release: release.Newest()},
	}
	e, err := handover.Prepare(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sizeLimit: 4Gi", "memory: 6400Mi"} {
		if !strings.Contains(e.Files[0].Text, want) {
			t.Errorf("%q is not in\n%s", want, e.Files[0].Text)
		}
	}
}
