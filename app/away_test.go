//go:build unix

package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/api"
	"conch/app/apptest"

	"connectrpc.com/connect"
)

// moveAway moves a repository away, and waits until the window reports it.
func (w *window) moveAway(t *testing.T) (back func()) {
	t.Helper()
	move := func(from, to string, is bool) {
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		w.Until(t, "the window shows the folder as expected", func(s *apptest.Snapshot) bool { return s.Repository.GetAway() == is })
	}
	move(w.Root, w.Root+"-away", true)
	return func() { move(w.Root+"-away", w.Root, false) }
}

// errorsOf checks the number of errors that list, badges, pane and footer count for a model with an
// unsaved text. They must agree.
func (w *window) errorsOf(t *testing.T, model, text string, want uint32) {
	t.Helper()
	w.Until(t, "badge and footer agree", func(s *apptest.Snapshot) bool {
		return s.Models[model].GetErrors() == want && s.Repository.GetErrors() == want
	})
	count := func(list []*api.Diagnostic) (n uint32) {
		for _, d := range list {
			if d.Severity == api.Diagnostic_SEVERITY_ERROR && !d.Follows {
				n++
			}
		}
		return n
	}
	pane := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: model, Path: "config.pbtxt", Text: text})
	listed := uint32(0)
	for _, f := range apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{}).Files {
		listed += count(f.Diagnostics)
	}
	if n := count(pane.Diagnostics); n != want || listed != want {
		t.Errorf("the pane has %d errors and the list %d, want %d: %v", n, listed, want, pane.Diagnostics)
	}
}

// TestTypedWhileAway: what is typed while the repository is away gets no false verdict, then or after
// the return, and no save is needed for that. What cannot be done says why, and changes nothing.
func TestTypedWhileAway(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	before := w.read(t, "add_sub")
	edit := func(text string, since uint64) *api.AnalyzeResponse {
		t.Helper()
		return apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{
			Model: "add_sub", Path: "config.pbtxt", Text: text,
			Edit: &api.Edit{Since: since, BaseText: before.Text, BaseVersion: before.Version},
		})
	}
	back := w.moveAway(t)
	text := before.Text + "# typed while it is away\n"
	typed := edit(text, 0)
	if len(typed.Diagnostics) > 0 {
		t.Errorf("while it is away: %v", typed.Diagnostics)
	}
	w.errorsOf(t, "add_sub", text, 0)
	save := &api.SaveFileRequest{Model: "add_sub", Path: "config.pbtxt", Text: text, BaseVersion: before.Version, Since: typed.Version}
	why := apptest.Refused(t, w.Editor.SaveFile, save, connect.CodeFailedPrecondition)
	if !strings.Contains(why, w.Root+" does not exist") || !strings.Contains(why, "your text is kept as unsaved. Save again once the folder is back") {
		t.Errorf("a save says %q", why)
	}
	w.refusesAll(t)
	if _, err := os.Lstat(w.Root); err == nil {
		t.Errorf("%s was made again", w.Root)
	}
	if found := w.read(t, "add_sub"); found.Draft.GetText() != text || found.Text != before.Text || found.Version != before.Version {
		t.Errorf("what is read while it is away: %v", found)
	}

	back()
	w.errorsOf(t, "add_sub", text, 0)
	broken := strings.Replace(text, "dims: [ 16 ]", "dims: [ 17 ]", 1)
	save.Since = edit(broken, typed.Version).Version
	w.errorsOf(t, "add_sub", broken, 1)
	save.Text = broken
	if saved := apptest.Call(t, w.Editor.SaveFile, save); saved.Conflict || apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "config.pbtxt")) != broken {
		t.Errorf("saved after the return: %v", saved)
	}
}

// refusesAll tries everything that needs the folder. Each try reports that the folder is away.
func (w *window) refusesAll(t *testing.T) {
	t.Helper()
	const code = connect.CodeFailedPrecondition
	file := &api.FileWrite{Model: "digits", Path: "notes.txt", Text: "new"}
	for what, why := range map[string]string{
		"write":  apptest.Refused(t, w.Editor.WriteFiles, &api.WriteFilesRequest{Files: []*api.FileWrite{file}}, code),
		"folder": apptest.Refused(t, w.Editor.CreateFolder, &api.CreateFolderRequest{Model: "digits", Path: "2"}, code),
		"rename": apptest.Refused(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: "numbers"}, code),
		"plan":   apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: "digits", WholeModel: true, Name: "numbers"}).Problem,
		"create": apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "new", Backend: "python"}, code),
		"read":   apptest.Refused(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "labels.txt"}, code),
		"load":   apptest.Refused(t, w.Models.Load, &api.LoadRequest{Name: "digits"}, code),
		"reload": apptest.Refused(t, w.Models.Load, &api.LoadRequest{Name: "digits", Force: true}, code),
		"all":    apptest.Call(t, w.Models.LoadAll, &api.LoadAllRequest{}).GetFailed()[0].GetReason(),
	} {
		if !strings.Contains(why, "The repository is away: ") || !strings.Contains(why, " is back") {
			t.Errorf("%s says %q", what, why)
		}
	}
	if why := apptest.Refused(t, w.Editor.WriteFiles, &api.WriteFilesRequest{Files: []*api.FileWrite{file}}, code); strings.Contains(why, "kept as unsaved") || !strings.Contains(why, "Nothing was changed. Try again once") {
		t.Errorf("a change that is not an unsaved text says %q", why)
	}
	_, err := w.Models.Load(t.Context(), connect.NewRequest(&api.LoadRequest{Name: "digits"}))
	var away *connect.Error
	if !errors.As(err, &away) || len(away.Details()) != 1 || away.Details()[0].Type() != "conch.v1.FolderAway" {
		t.Errorf("a page cannot tell that the folder is away from %v", err)
	}
	w.Until(t, "what was loaded serves on", apptest.AllReady)
}

// TestNothingIsMadeInAnEmptyFolder: where a disk is unmounted an empty folder is left. Nothing is
// written to it.
func TestNothingIsMadeInAnEmptyFolder(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	if err := os.Rename(w.Root, w.Root+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(w.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	w.refusesAll(t) // perhaps before anybody has noticed
	if made, err := os.ReadDir(w.Root); err != nil || len(made) > 0 {
		t.Errorf("made in the empty folder: %v, %v", made, err)
	}
}
