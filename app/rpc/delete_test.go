//go:build unix

package rpc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/overlay"
)

// deleting opens the examples with a trash, and waits until all of them serve.
func deleting(t *testing.T) *apptest.Window {
	t.Helper()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	w := apptest.OpenExamples(t)
	w.Until(t, "the models serve", serve("digits", "read_digit", "add_sub"))
	return w
}

func serve(names ...string) func(*apptest.Snapshot) bool {
	return func(s *apptest.Snapshot) bool {
		for _, name := range names {
			if s.Models[name].GetState() != api.ModelState_MODEL_STATE_READY {
				return false
			}
		}
		return true
	}
}

// served lists the versions that serve.
func served(m *api.ModelSummary) (list []int64) {
	for _, v := range m.GetVersions() {
		if v.State == api.ModelState_MODEL_STATE_READY {
			list = append(list, v.Number)
		}
	}
	return list
}

func isGone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("%s is there: %v", path, err)
	}
}

// TestDeleteFile: a file goes with its unsaved text, once a person has agreed to both, and both come back.
func TestDeleteFile(t *testing.T) {
	w := deleting(t)
	file := filepath.Join(w.Root, "digits", "labels.txt")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	typed := "typed and not saved\n"
	apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "labels.txt", Text: typed, Number: 1, Edit: &api.Edit{
		BaseText: string(before), BaseVersion: apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "labels.txt"}).Version,
	}})
	plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "digits", Path: "labels.txt"})
	if plan.Place != file || plan.Count != 1 || plan.Bytes != uint64(len(before)) || plan.Problem != "" || len(plan.Drafts) != 1 ||
		plan.Trash != filepath.Join(os.Getenv("XDG_DATA_HOME"), "Trash") || plan.Serving != api.PlanDeleteResponse_SERVING_KEEPS ||
		!strings.HasPrefix(plan.NeededBy, "label_filename of output") {
		t.Fatalf("%v", plan)
	}
	said := apptest.Refused(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits", Path: "labels.txt"}, connect.CodeFailedPrecondition)
	if !strings.Contains(said, "nothing was deleted") {
		t.Errorf("said %q", said)
	}
	if now, err := os.ReadFile(file); err != nil || string(now) != string(before) {
		t.Errorf("then it is %q, %v", now, err)
	}
	gone := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits", Path: "labels.txt", Drafts: []uint64{plan.Drafts[0].Version}})
	isGone(t, file)
	s := w.Until(t, "the text is gone too", func(s *apptest.Snapshot) bool { return len(s.Drafts) == 0 })
	if !serve("digits")(s) {
		t.Errorf("digits is %v", s.Models["digits"])
	}
	apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id})
	now := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "labels.txt"})
	if now.Text != string(before) || now.Draft.GetText() != typed {
		t.Errorf("put back are %v", now)
	}
	apptest.Refused(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id}, connect.CodeNotFound)
}

// TestUndoDeleteFull: a file is put back also where its unsaved text has no room any more. That is said, and the text can be brought back
// once there is room.
func TestUndoDeleteFull(t *testing.T) {
	w := deleting(t)
	typeInto := func(path, text string) uint64 {
		return apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: path, Text: text, Number: 1, Edit: &api.Edit{}}).Version
	}
	apptest.Write(t, filepath.Join(w.Root, "digits", "note.md"), "text")
	note := typeInto("note.md", "typed")
	gone := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits", Path: "note.md", Drafts: []uint64{note}})
	var others []uint64
	for i := range overlay.Usual.Files {
		others = append(others, typeInto(fmt.Sprintf("other%d.md", i), "typed"))
	}
	back := apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id})
	if len(back.Unkept) != 1 || back.Unkept[0].Path != "note.md" || !strings.Contains(back.Why, "save or discard some") {
		t.Fatalf("it is put back with %v", back)
	}
	read := func() *api.ReadFileResponse {
		return apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "note.md"})
	}
	if now := read(); now.Text != "text" || now.Draft != nil {
		t.Errorf("put back is %v", now)
	}
	discarded := apptest.Call(t, w.Editor.DiscardDrafts, &api.DiscardDraftsRequest{Versions: others[:1]})
	if back = apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id}); len(back.Unkept) > 0 || read().Draft.GetText() != "typed" {
		t.Errorf("with room %v are not kept, and its unsaved text is %v", back.Unkept, read().Draft)
	}
	apptest.Refused(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id}, connect.CodeNotFound)
	restored := apptest.Call(t, w.Editor.RestoreDrafts, &api.RestoreDraftsRequest{Drafts: discarded.Drafts})
	if len(restored.Unkept) != 1 || restored.Unkept[0].Path != "other0.md" || !strings.Contains(restored.Why, "save or discard some") {
		t.Errorf("without room again %v", restored)
	}
}

// TestDeleteNote: nothing that serves is read from a README, so nothing becomes of it.
func TestDeleteNote(t *testing.T) {
	w := deleting(t)
	apptest.Write(t, filepath.Join(w.Root, "digits", "README.md"), "text")
	plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "digits", Path: "README.md"})
	if plan.Serving != api.PlanDeleteResponse_SERVING_UNSPECIFIED || plan.NeededBy != "" {
		t.Errorf("%v", plan)
	}
}

// TestDeleteStaysInside: no path leads out of the model's folder, and a link goes without what it points to.
func TestDeleteStaysInside(t *testing.T) {
	w := deleting(t)
	secret := filepath.Join(filepath.Dir(w.Root), "secret", "secret.txt")
	apptest.Write(t, secret, "secret")
	for _, path := range []string{"../add_sub", "../../secret", secret, "..", "1/..", ".", "1/../..", "link/secret.txt", "a\x00b/c"} {
		if path == "link/secret.txt" {
			if err := os.Symlink(filepath.Dir(secret), filepath.Join(w.Root, "digits", "link")); err != nil {
				t.Fatal(err)
			}
		}
		apptest.Refused(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "digits", Path: path}, connect.CodePermissionDenied)
		apptest.Refused(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits", Path: path}, connect.CodePermissionDenied)
	}
	apptest.Refused(t, w.Editor.Delete, &api.DeleteRequest{Model: "..", Path: ""}, connect.CodeNotFound)
	apptest.Refused(t, w.Editor.Delete, &api.DeleteRequest{Model: "", Path: ""}, connect.CodeNotFound)
	plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "digits", Path: "link"})
	if plan.Link != filepath.Dir(secret) || plan.Bytes != 0 || plan.Count != 1 {
		t.Errorf("of the link is said %v", plan)
	}
	apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits", Path: "link"})
	isGone(t, filepath.Join(w.Root, "digits", "link"))
	if text, err := os.ReadFile(secret); err != nil || string(text) != "secret" {
		t.Errorf("what it pointed to is %q, %v", text, err)
	}
	// Nor does Undo lead out, where a link has the place of the folder since.
	apptest.Write(t, filepath.Join(w.Root, "digits", "more", "note.txt"), "note")
	gone := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits", Path: "more/note.txt"})
	more := filepath.Join(w.Root, "digits", "more")
	if err := os.Remove(more); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(secret), more); err != nil {
		t.Fatal(err)
	}
	apptest.Refused(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id}, connect.CodePermissionDenied)
	isGone(t, filepath.Join(filepath.Dir(secret), "note.txt"))
}

// TestDeleteVersion: a version that serves is served no more, and the last one is unloaded first.
func TestDeleteVersion(t *testing.T) {
	w := deleting(t)
	dir := filepath.Join(w.Root, "add_sub")
	if err := os.CopyFS(filepath.Join(dir, "2"), os.DirFS(filepath.Join(dir, "1"))); err != nil {
		t.Fatal(err)
	}
	serves := func(want ...int64) func(*apptest.Snapshot) bool {
		return func(s *apptest.Snapshot) bool {
			got := served(s.Models["add_sub"])
			return len(got) == len(want) && (len(got) == 0 || got[0] == want[0])
		}
	}
	w.Until(t, "version 2 serves", serves(2))
	apptest.Call(t, w.Models.SetReload, &api.SetReloadRequest{Name: "add_sub", Reload: "off"}) // it follows no files by itself
	ask := &api.PlanDeleteRequest{Model: "add_sub", Path: "2"}
	if plan := apptest.Call(t, w.Editor.PlanDelete, ask); plan.Serving != api.PlanDeleteResponse_SERVING_OTHER_VERSIONS || len(plan.Files) != 1 || plan.Files[0] != "model.onnx" {
		t.Errorf("version 2: %v", plan)
	}
	if plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "add_sub", Path: "1"}); plan.Serving != api.PlanDeleteResponse_SERVING_UNSPECIFIED {
		t.Errorf("version 1: %v", plan)
	}
	second := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "add_sub", Path: "2"})
	if second.Still != "" {
		t.Errorf("still: %s", second.Still)
	}
	w.Until(t, "version 1 serves", serves(1))
	isGone(t, filepath.Join(dir, "2"))
	if plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "add_sub", Path: "1"}); plan.Serving != api.PlanDeleteResponse_SERVING_UNLOADS {
		t.Errorf("the last version: %v", plan)
	}
	first := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "add_sub", Path: "1"})
	s := w.Until(t, "nothing serves", serves())
	if state := s.Models["add_sub"].GetState(); state != api.ModelState_MODEL_STATE_UNLOADED {
		t.Errorf("it is %v: %s", state, s.Models["add_sub"].GetReason())
	}
	apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: first.Id})
	w.Until(t, "version 1 serves again", serves(1))
	apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: second.Id})
	w.Until(t, "version 2 serves again", serves(2))
}

// TestDeleteModel: a model that serves is unloaded and goes without being news, and comes back as it was; one that cannot
// go serves on.
func TestDeleteModel(t *testing.T) {
	w := deleting(t)
	dir := filepath.Join(w.Root, "digits")
	config := filepath.Join(dir, "config.pbtxt")
	if err := os.Chmod(config, 0o444); err != nil {
		t.Fatal(err)
	}
	plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "digits"})
	if !strings.Contains(plan.Problem, config) || !strings.Contains(plan.Problem, "read-only") {
		t.Errorf("%v", plan)
	}
	apptest.Refused(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits"}, connect.CodePermissionDenied)
	if err := os.Chmod(config, 0o644); err != nil {
		t.Fatal(err)
	}
	plan = apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "digits"})
	if plan.Place != dir || plan.Count < 3 || plan.Serving != api.PlanDeleteResponse_SERVING_UNLOADS || plan.Problem != "" {
		t.Errorf("%v", plan)
	}
	s := w.Until(t, "it serves", serve("digits", "read_digit"))
	notices := len(s.Notices)
	gone := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "digits"})
	isGone(t, dir)
	w.Until(t, "it is not listed", func(s *apptest.Snapshot) bool { return s.Models["digits"] == nil })
	apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id})
	s = w.Until(t, "it serves again", serve("digits"))
	for _, n := range s.Notices[notices:] {
		if strings.Contains(n, "added") {
			t.Errorf("said %q", n)
		}
	}
}

// TestDeleteTheLastModel: an empty repository is not taken for one that is away.
func TestDeleteTheLastModel(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	root := apptest.CopyExamples(t)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "add_sub" {
			if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	w := apptest.Open(t, root)
	w.Until(t, "it serves", serve("add_sub"))
	gone := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "add_sub"})
	w.Until(t, "the repository is empty", func(s *apptest.Snapshot) bool { return len(s.Models) == 0 && !s.Repository.GetAway() })
	apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id})
	w.Until(t, "it serves again", serve("add_sub"))
}

// TestUndoOfAnEarlierRun: a window that outlives the program takes back nothing that was deleted after the next start.
func TestUndoOfAnEarlierRun(t *testing.T) {
	ask := &api.DeleteRequest{Model: "digits", Path: "labels.txt"}
	before := apptest.Call(t, deleting(t).Editor.Delete, ask)
	w := deleting(t)
	apptest.Call(t, w.Editor.Delete, ask)
	apptest.Refused(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: before.Id}, connect.CodeNotFound)
	isGone(t, filepath.Join(w.Root, "digits", "labels.txt"))
}

// TestDeleteOfTwoFolders: the unsaved text of a model that another one of its name hides is not that of what is deleted.
func TestDeleteOfTwoFolders(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	first, second := t.TempDir(), t.TempDir()
	config := "backend: \"identity\"\n"
	apptest.Write(t, filepath.Join(second, "m", "config.pbtxt"), config)
	w := apptest.OpenWith(t, app.Options{Repositories: []string{first, second}})
	file := &api.ReadFileRequest{Model: "m", Path: "config.pbtxt"}
	w.Until(t, "it is listed", func(s *apptest.Snapshot) bool { return s.Models["m"] != nil })
	apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "m", Path: "config.pbtxt", Text: config + "# typed\n", Number: 1, Edit: &api.Edit{
		BaseText: config, BaseVersion: apptest.Call(t, w.Editor.ReadFile, file).Version,
	}})
	apptest.Write(t, filepath.Join(first, "m", "config.pbtxt"), config)
	w.Until(t, "it is hidden", func(s *apptest.Snapshot) bool { return len(s.Drafts) == 1 && s.Drafts[0].Missing })
	plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "m"})
	if plan.Place != filepath.Join(first, "m") || len(plan.Drafts) > 0 {
		t.Errorf("of %s would go %v", plan.Place, plan.Drafts)
	}
	apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "m"})
	w.Until(t, "the text is that of the other one again", func(s *apptest.Snapshot) bool { return len(s.Drafts) == 1 && !s.Drafts[0].Missing })
	// It goes with that one, and comes back to it.
	plan = apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "m"})
	if plan.Place != filepath.Join(second, "m") || len(plan.Drafts) != 1 {
		t.Fatalf("of %s would go %v", plan.Place, plan.Drafts)
	}
	gone := apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "m", Drafts: []uint64{plan.Drafts[0].Version}})
	w.Until(t, "both are gone", func(s *apptest.Snapshot) bool { return s.Models["m"] == nil && len(s.Drafts) == 0 })
	apptest.Call(t, w.Editor.UndoDelete, &api.UndoDeleteRequest{Id: gone.Id})
	w.Until(t, "the model is back", func(s *apptest.Snapshot) bool { return s.Models["m"] != nil })
	if draft := apptest.Call(t, w.Editor.ReadFile, file).Draft; draft.GetText() != config+"# typed\n" {
		t.Errorf("its unsaved text is %v", draft)
	}
}
