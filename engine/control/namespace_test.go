package control_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/engine/control"
	"conch/engine/infer"
)

// write writes a file of the second repository.
func (b *bench) writeSecond(t *testing.T, path, text string) {
	t.Helper()
	full := filepath.Join(b.dir.Roots[1], path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) addSecond(t *testing.T, name, text string) {
	t.Helper()
	b.writeSecond(t, name+"/config.pbtxt", config(name))
	b.writeSecond(t, name+"/1/model.fake", text)
}

// twice has m in both repositories, and ensembles that use one of them. Triton 24.10 was tested with the same
// files.
func twice(t *testing.T) func(b *bench) {
	return func(b *bench) {
		b.add(t, "m", "first")
		b.addSecond(t, "m", "second")
		b.add(t, "only", "only")
		b.addEnsemble(t, "e1", "m")
		b.writeSecond(t, "e2/config.pbtxt", chain("e2", "m"))
		b.writeSecond(t, "e2/1/.keep", "")
		b.writeSecond(t, "e3/config.pbtxt", chain("e3", "only"))
		b.writeSecond(t, "e3/1/.keep", "")
	}
}

// wantPart fails unless an ensemble uses the model of this repository.
func (b *bench) wantPart(t *testing.T, ensemble, part, root string) {
	t.Helper()
	ran := func() map[string]uint64 {
		counts := map[string]uint64{}
		for _, v := range b.Serving() {
			counts[v.Namespace+" "+v.Name] = v.Counters().Snapshot().Executions
		}
		return counts
	}
	before := ran()
	if _, err := b.ask(ensemble, infer.Latest); err != nil {
		t.Errorf("%s: %v", ensemble, err)
	}
	if key := root + " " + part; ran()[key] != before[key]+1 {
		t.Errorf("%s did not run %s: %v", ensemble, key, ran())
	}
}

const ambiguous = "There are 2 identifiers of model 'm' in global map, model namespace must be provided to resolve ambiguity."

func TestNamespaces(t *testing.T) {
	b := start(t, control.Options{Mode: control.None, Namespacing: true}, twice(t))
	b.wantIndex(t, "e1/1 READY, e2/1 READY, e3/1 READY, m/1 READY, m/1 READY, only/1 READY")
	if b.failed != 0 || !b.Ready() {
		t.Errorf("%d failed, ready %v", b.failed, b.Ready())
	}
	b.wantError(t, "m", ambiguous)
	b.wantAnswer(t, "only", "only")
	b.wantPart(t, "e1", "m", b.dir.Roots[0])
	b.wantPart(t, "e2", "m", b.dir.Roots[1])
	b.wantPart(t, "e3", "only", b.dir.Roots[0])
	_, err := b.ask("nobody", infer.Latest)
	if infer.CodeOf(err) != infer.InvalidArg || err.Error() != "Request for unknown model: 'nobody' is not found" {
		t.Errorf("nobody: %v", err)
	}
}

func TestNamespacesInExplicitMode(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Namespacing: true, LoadModels: []string{"e3"}}, twice(t))
	b.wantIndex(t, "e1, e2, e3/1 READY, m, m, only/1 READY")
	b.load(t, "e2")
	b.wantAnswer(t, "m", "second") // the first one's is not loaded
	b.load(t, "m")
	b.wantError(t, "m", ambiguous)
	b.wantPart(t, "e2", "m", b.dir.Roots[1])
	if err := b.Unload("m", false); err != nil {
		t.Fatal(err)
	}
	b.untilIndex(t, "e1, e2/1 UNAVAILABLE (unloaded), e3/1 READY, m/1 UNAVAILABLE (unloaded), m/1 UNAVAILABLE (unloaded), only/1 READY")
	if err := b.Load(t.Context(), "nobody", control.Request{}); err == nil || err.Error() != "failed to load 'nobody', failed to poll from model repository" {
		t.Errorf("load of nobody: %v", err)
	}
}

// A step's name finds no model if several other namespaces have it, and the ensemble's own does
// not.
func TestAmbiguousStep(t *testing.T) {
	b := start(t, control.Options{Mode: control.Explicit, Namespacing: true}, func(b *bench) {
		third := t.TempDir()
		b.dir.Roots = append(b.dir.Roots, third)
		b.add(t, "m", "first")
		b.addSecond(t, "m", "second")
		if err := os.MkdirAll(filepath.Join(third, "e", "1"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(third, "e", "config.pbtxt"), []byte(chain("e", "m")), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	err := b.Load(t.Context(), "e", control.Request{})
	want := "load failed for model 'e': ensemble " + b.dir.Roots[2] + "::e contains models that are not available or ambiguous: m\n"
	if err == nil || err.Error() != want {
		t.Errorf("load = %v, want %s", err, want)
	}
}

// Without namespaces a shared name is unloaded when polling, and stays as it is otherwise
// (docs/triton/repository.md, "Several repositories").
func TestNameInTwoRepositories(t *testing.T) {
	for mode, want := range map[control.Mode]string{control.Poll: "", control.Explicit: "one"} {
		b := start(t, control.Options{Mode: mode, Reload: control.OnSave, LoadModels: map[control.Mode][]string{control.Explicit: {"*"}}[mode]},
			func(b *bench) { b.add(t, "m", "one") })
		b.addSecond(t, "m", "two")
		b.dir.Look()
		const reason = "m UNAVAILABLE (model appears in two or more repositories)"
		b.untilIndex(t, reason)
		if want == "" {
			b.until(t, "the unload", func() bool { _, err := b.ask("m", infer.Latest); return err != nil })
		} else {
			b.until(t, "the failure", func() bool { s, _ := b.Status("m"); return s.LoadError != "" })
			b.wantAnswer(t, "m", want)
		}
		if err := os.RemoveAll(filepath.Join(b.dir.Roots[1], "m")); err != nil {
			t.Fatal(err)
		}
		b.dir.Look()
		b.until(t, "it serves again", func() bool {
			s, _ := b.Status("m")
			text, err := b.ask("m", infer.Latest)
			return err == nil && text == "one" && s.LoadError == ""
		})
	}
}
