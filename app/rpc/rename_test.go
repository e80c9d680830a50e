//go:build unix

package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// TestRenameModel renames a model that runs, and renames it back.
func TestRenameModel(t *testing.T) {
	w := apptest.OpenExamples(t)
	ready := func(names ...string) func(*apptest.Snapshot) bool {
		return func(s *apptest.Snapshot) bool {
			for _, name := range names {
				if s.Models[name].GetState() != api.ModelState_MODEL_STATE_READY {
					return false
				}
			}
			return true
		}
	}
	w.Until(t, "the models are ready", ready("digits", "read_digit"))
	apptest.Write(t, filepath.Join(w.Root, "digits", "configs", "small.pbtxt"), "name: 'digits'\nmax_batch_size: 4\n")
	apptest.Write(t, filepath.Join(w.Root, "caller", "1", "model.py"), "model_name = \"digits\"\n")
	w.Until(t, "the caller is listed", func(s *apptest.Snapshot) bool { return s.Models["caller"] != nil })
	for _, name := range []string{"", "digits", "read_digit", "a/b", ".."} {
		got := apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: "digits", WholeModel: true, Name: name})
		if got.Problem == "" || len(got.Files) > 0 {
			t.Errorf("%q: %v", name, got)
		}
	}
	before := apptest.Config(t, w, "read_digit")
	asked := &api.PlanRenameRequest{
		Model: "read_digit", Path: "config.pbtxt", Text: before, Offset: uint32(strings.Index(before, `"digits"`)), Name: "numbers",
	}
	if got := apptest.Call(t, w.Editor.PlanRename, asked); got.Folder != "digits" || len(got.Files) != 3 {
		t.Errorf("from a step that runs it: %v", got)
	}
	renameModel(t, w, "digits", "numbers", 3)
	if after := apptest.Config(t, w, "read_digit"); !strings.Contains(after, `model_name: "numbers"`) || strings.Contains(after, `"digits"`) {
		t.Errorf("%s", after)
	}
	if variant, err := os.ReadFile(filepath.Join(w.Root, "numbers", "configs", "small.pbtxt")); err != nil || !strings.HasPrefix(string(variant), "name: 'numbers'\n") {
		t.Errorf("%s, %v", variant, err)
	}
	apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "numbers"})
	s := w.Until(t, "it serves under its new name", ready("numbers", "read_digit"))
	if s.Models["digits"] != nil || s.Models["read_digit"].Errors > 0 {
		t.Errorf("%v", s.Models)
	}
	renameModel(t, w, "numbers", "digits", 3)
	if after := apptest.Config(t, w, "read_digit"); after != before {
		t.Errorf("there and back: %s", after)
	}
	w.Until(t, "the ensemble serves again", ready("read_digit"))
	apptest.Refused(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: "../out"}, connect.CodeInvalidArgument)
	apptest.Refused(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: "caller"}, connect.CodeAlreadyExists)
}

func renameModel(t *testing.T, w *apptest.Window, from, to string, files int) {
	t.Helper()
	got := apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: from, WholeModel: true, Name: to})
	if got.Folder != from || len(got.Files) != files || from == "digits" && !strings.Contains(got.Warning, "caller/1/model.py") {
		t.Fatalf("%v", got)
	}
	answer := apptest.Call(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: from, Name: to, Files: apptest.Writes(got.Files).Files})
	if len(answer.Changed) > 0 || len(answer.Files) != files {
		t.Fatalf("%v", answer)
	}
	w.Until(t, to+" is listed", func(s *apptest.Snapshot) bool { return s.Models[to] != nil && s.Models[from] == nil })
}
