//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/api"
	"conch/app/overlay"
	"conch/app/workspace"
	"conch/configedit/diag"
)

// examples copies the example repository, whose configs are judged by their model files.
func examples(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "repository")
	if err := os.CopyFS(root, os.DirFS("../../examples/repository")); err != nil {
		t.Fatal(err)
	}
	return root
}

// verdicts returns the errors of each model in the unsaved texts, as the editor's pane shows them,
// without those that follow from another error.
func verdicts(t *testing.T, w *workspace.Workspace) map[string][]string {
	t.Helper()
	analysis, err := w.Analysis()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, name := range analysis.Names() {
		m, _ := analysis.Model(name)
		for _, d := range analysis.Diagnose(m) {
			if d.Severity == diag.Error && !d.Follows {
				found[name] = append(found[name], d.Code+": "+d.Message)
			}
		}
	}
	return found
}

// agree waits until list, badges and footer count what the pane shows, which must be as many errors as
// wanted.
func (r *reader) agree(t *testing.T, w *workspace.Workspace, want map[string]int) bool {
	t.Helper()
	_, files := w.Problems("")
	listed := map[string]int{}
	for _, f := range files {
		for _, d := range f.Diagnostics {
			if d.Severity == api.Diagnostic_SEVERITY_ERROR && !d.Follows {
				listed[f.Model]++
			}
		}
	}
	pane, sum := verdicts(t, w), uint32(0)
	for name, m := range r.models {
		sum += m.Errors
		if n := want[name]; int(m.Errors) != n || len(pane[name]) != n || listed[name] != n || m.Kind == "" {
			return false
		}
	}
	return r.repository.Errors == sum
}

// away moves a repository away. The returned function moves it back.
func away(t *testing.T, root string) (back func()) {
	t.Helper()
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(root, root+"-away")
	return func() { move(root+"-away", root) }
}

func edit(t *testing.T, w *workspace.Workspace, model, text string) {
	t.Helper()
	file := workspace.File{Model: model, Path: "config.pbtxt"}
	before, _ := w.Draft(file)
	if _, err := w.Edit(file, overlay.Edit{Text: text, Since: before.Version, Base: overlay.Base{Version: "v", Text: "?"}}); err != nil {
		t.Fatal(err)
	}
}

// TestTypedWhileTheFolderIsAway: what is typed is judged by the files as they were. After the return
// it is judged by the files that are there, without a save. List, badges, footer and pane always
// agree.
func TestTypedWhileTheFolderIsAway(t *testing.T) {
	root := examples(t)
	read := func(model string) string {
		text, err := os.ReadFile(filepath.Join(root, model, "config.pbtxt"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	addSub, digits, prepare := read("add_sub"), read("digits"), read("digits_prepare")
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "all is well", func() bool { return len(r.models) == 5 && r.agree(t, w, nil) })

	back := away(t, root)
	edit(t, w, "add_sub", addSub+"# typed before anybody noticed\n")
	w.Touch(root)
	r.until(t, "the window says that the folder is away", func() bool { return r.repository.Away })
	edit(t, w, "digits", digits+"# typed while it is away\n")
	edit(t, w, "digits_prepare", strings.Replace(prepare, "dims: [ 64 ]", "dims: [ 65 ]", 1))
	// The facts about the files are known from before: the shape differs from that of the model file.
	want := map[string]int{"digits_prepare": 1}
	r.until(t, "all agree while the folder is away", func() bool { return r.agree(t, w, want) })
	if found := verdicts(t, w); len(found["add_sub"])+len(found["digits"]) > 0 {
		t.Errorf("wrong while the folder is away: %v", found)
	}
	// Of the other file only its absence is known.
	edit(t, w, "add_sub", addSub+"default_model_filename: \"other.onnx\"\n")
	want["add_sub"] = 1
	r.until(t, "a file that was not there is missed", func() bool { return r.agree(t, w, want) })
	edit(t, w, "add_sub", addSub+"# typed before anybody noticed\n")
	delete(want, "add_sub")

	back()
	if err := os.WriteFile(filepath.Join(root, "digits", "1", "model.onnx"), []byte("no model"), 0o644); err != nil {
		t.Fatal(err)
	}
	w.Touch(root)
	want["digits"] = 1
	r.until(t, "all agree after the return, in which a file changed", func() bool { return !r.repository.Away && r.agree(t, w, want) })
	if found := verdicts(t, w); len(found["add_sub"]) > 0 || !strings.Contains(strings.Join(found["digits"], ""), "cannot be read") {
		t.Errorf("after the return: %v", found)
	}
}

// TestWrongOnlyWhileAway: a verdict from the time before the absence was noticed is corrected when the
// folder returns.
func TestWrongOnlyWhileAway(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf, "add_sub": leaf})
	program := filepath.Join(root, "digits", "1", "other.py")
	save(t, program, "class Model:\n    pass\n")
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "all is well", func() bool { return len(r.models) == 2 && r.agree(t, w, nil) })
	text := leaf + "default_model_filename: \"other.py\"\n" // this program was never read
	back := away(t, root)
	w.Touch(root)
	r.until(t, "the folder is away", func() bool { return r.repository.Away })
	edit(t, w, "digits", text)
	r.until(t, "what only the file tells is not said", func() bool { return r.agree(t, w, nil) })
	back()
	w.Touch(root)
	r.until(t, "the program is read", func() bool { return r.agree(t, w, map[string]int{"digits": 1}) })
	if found := verdicts(t, w)["digits"]; !strings.Contains(strings.Join(found, ""), "defines no class") {
		t.Errorf("%v", found)
	}
}
