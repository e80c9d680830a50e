package workspace_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"conch/app/checkcmd"
	"conch/configedit/rule"
)

// TestCountsAsCheckDoes: the workspace counts as many errors and warnings as `conch check`. A mistake
// in a model that an ensemble uses is shown at both and counted once.
func TestCountsAsCheckDoes(t *testing.T) {
	broken := strings.Replace(leaf, "max_batch_size", "max_batch_sise", 1)
	withGit := repository(t, map[string]string{"add_sub": leaf})
	for _, dir := range []string{".git/objects", "notes"} {
		if err := os.MkdirAll(filepath.Join(withGit, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(withGit, "linked")); err != nil {
		t.Fatal(err)
	}
	for name, root := range map[string]string{
		"a model of two ensembles":   repository(t, map[string]string{"add_sub": leaf, "digits": broken, "pair": pair, "other": pair}),
		"folders that are no models": withGit,
		"all of examples/broken":     copied(t, "../../examples/broken"),
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			checkcmd.Run(t.Context(), []string{root}, checkcmd.Options{Format: checkcmd.FormatJSON}, &out)
			var check struct {
				Summary struct{ Errors, Warnings, Refused uint32 }
			}
			if err := json.Unmarshal(out.Bytes(), &check); err != nil {
				t.Fatal(err)
			}
			want := check.Summary
			if want.Errors == 0 {
				t.Fatal("conch check finds nothing wrong")
			}
			w := open(t, root, noEngine)
			r := follow(t, w)
			r.until(t, fmt.Sprintf("every model is judged, and the counts are %v", want), func() bool {
				got := r.repository
				return w.Judged() && got.Errors == want.Errors && got.Warnings == want.Warnings && got.ProblemModels == want.Refused
			})
		})
	}
}

// TestStraysAreProblems: what keeps Triton from starting is a problem of the repository, until it is gone.
func TestStraysAreProblems(t *testing.T) {
	root := repository(t, map[string]string{"add_sub": leaf})
	git := filepath.Join(root, ".git")
	if err := os.Mkdir(git, 0o755); err != nil {
		t.Fatal(err)
	}
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "the folder is an error", func() bool { return r.repository.Errors == 1 })
	_, list := w.Problems("")
	if len(list) != 1 || list[0].Model != "" || list[0].Path != ".git" || list[0].Diagnostics[0].Code != rule.STRAY.ID ||
		!strings.HasPrefix(list[0].Diagnostics[0].Message, "Belongs to a tool") || list[0].Diagnostics[0].Triton == "" {
		t.Errorf("problems are %v", list)
	}
	if err := os.Remove(git); err != nil {
		t.Fatal(err)
	}
	r.until(t, "nothing is wrong", func() bool { return r.repository.Errors == 0 })
	if _, list = w.Problems(""); len(list) != 0 {
		t.Errorf("problems are %v", list)
	}
}

// TestNamesTheWrongModels: an ensemble of a broken model has no count of its own, and names that model.
func TestNamesTheWrongModels(t *testing.T) {
	broken := strings.Replace(leaf, "max_batch_size", "max_batch_sise", 1)
	root := repository(t, map[string]string{"add_sub": leaf, "digits": broken, "pair": pair})
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "the ensemble names the broken model", func() bool {
		return w.Judged() && slices.Equal(r.models["pair"].WrongModels, []string{"digits"})
	})
	if m := r.models["pair"]; m.Errors != 0 || len(r.models["digits"].WrongModels) != 0 || len(r.models["add_sub"].WrongModels) != 0 {
		t.Errorf("pair counts %d errors; models are %v", m.Errors, r.models)
	}
	save(t, filepath.Join(root, "digits", "config.pbtxt"), leaf)
	r.until(t, "no model is wrong", func() bool { return len(r.models["pair"].WrongModels) == 0 })
}

// copied copies a folder, so that no other test changes it.
func copied(t *testing.T, from string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(root, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return root
}
