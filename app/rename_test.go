//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
)

// TestRenameModel renames a model that runs, and renames it back.
func TestRenameModel(t *testing.T) {
	w := openExamples(t)
	ready := func(names ...string) func(*snapshot) bool {
		return func(s *snapshot) bool {
			for _, name := range names {
				if s.models[name].GetState() != api.ModelState_MODEL_STATE_READY {
					return false
				}
			}
			return true
		}
	}
	w.until(t, "the models are ready", ready("digits", "read_digit"))
	write(t, filepath.Join(w.root, "digits", "configs", "small.pbtxt"), "name: 'digits'\nmax_batch_size: 4\n")
	write(t, filepath.Join(w.root, "caller", "1", "model.py"), "model_name = \"digits\"\n")
	w.until(t, "the caller is listed", func(s *snapshot) bool { return s.models["caller"] != nil })
	for _, name := range []string{"", "digits", "read_digit", "a/b", ".."} {
		got := call(t, w.editor.PlanRename, &api.PlanRenameRequest{Model: "digits", WholeModel: true, Name: name})
		if got.Problem == "" || len(got.Files) > 0 {
			t.Errorf("%q: %v", name, got)
		}
	}
	before := config(t, w, "read_digit")
	asked := &api.PlanRenameRequest{
		Model: "read_digit", Path: "config.pbtxt", Text: before, Offset: uint32(strings.Index(before, `"digits"`)), Name: "numbers",
	}
	if got := call(t, w.editor.PlanRename, asked); got.Folder != "digits" || len(got.Files) != 3 {
		t.Errorf("from a step that runs it: %v", got)
	}
	renameModel(t, w, "digits", "numbers", 3)
	if after := config(t, w, "read_digit"); !strings.Contains(after, `model_name: "numbers"`) || strings.Contains(after, `"digits"`) {
		t.Errorf("%s", after)
	}
	if variant, err := os.ReadFile(filepath.Join(w.root, "numbers", "configs", "small.pbtxt")); err != nil || !strings.HasPrefix(string(variant), "name: 'numbers'\n") {
		t.Errorf("%s, %v", variant, err)
	}
	call(t, w.models.Load, &api.LoadRequest{Name: "numbers"})
	s := w.until(t, "it serves under its new name", ready("numbers", "read_digit"))
	if s.models["digits"] != nil || s.models["read_digit"].Errors > 0 {
		t.Errorf("%v", s.models)
	}
	renameModel(t, w, "numbers", "digits", 3)
	if after := config(t, w, "read_digit"); after != before {
		t.Errorf("there and back: %s", after)
	}
	w.until(t, "the ensemble serves again", ready("read_digit"))
	refused(t, w.editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: "../out"}, connect.CodeInvalidArgument)
	refused(t, w.editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: "caller"}, connect.CodeAlreadyExists)
}

func renameModel(t *testing.T, w *window, from, to string, files int) {
	t.Helper()
	got := call(t, w.editor.PlanRename, &api.PlanRenameRequest{Model: from, WholeModel: true, Name: to})
	if got.Folder != from || len(got.Files) != files || from == "digits" && !strings.Contains(got.Warning, "caller/1/model.py") {
		t.Fatalf("%v", got)
	}
	answer := call(t, w.editor.RenameModel, &api.RenameModelRequest{Model: from, Name: to, Files: writes(got.Files).Files})
	if len(answer.Changed) > 0 || len(answer.Files) != files {
		t.Fatalf("%v", answer)
	}
	w.until(t, to+" is listed", func(s *snapshot) bool { return s.models[to] != nil && s.models[from] == nil })
}
