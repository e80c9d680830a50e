//go:build unix

package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/language"
	"conch/app/store"
	"conch/engine/userdir"
	disk "conch/repo/write"
)

// A child of these tests is a workbench in a process of its own, which the tests kill.
const childRoot, childProgram = "CONCH_TEST_CHILD_ROOT", "CONCH_TEST_CHILD_PROGRAM"

// runChild prints where it serves, and runs until it is killed, or ends in order when it is told to.
func runChild(root string) int {
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	a, err := app.New(ended, app.Options{Repositories: []string{root}, EngineCommand: []string{os.Getenv(childProgram), "serve"}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(httptest.NewServer(a.Handler()).URL)
	<-ended.Done()
	if err := a.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// childRun is a workbench in a process of its own.
type childRun struct {
	*window
	process *exec.Cmd
	stderr  strings.Builder
}

// openChild opens a repository in a workbench that kill -9 can end.
func openChild(t *testing.T, root, dataDir string) (w *window, kill func()) {
	t.Helper()
	c := startChild(t, root, dataDir)
	return c.window, c.kill
}

func startChild(t *testing.T, root, dataDir string, env ...string) *childRun {
	t.Helper()
	c := &childRun{process: exec.Command(os.Args[0])}
	c.process.Env = append(os.Environ(), childRoot+"="+root, childProgram+"="+apptest.Program(), userdir.Variable+"="+dataDir)
	c.process.Env = append(c.process.Env, env...)
	c.process.Stderr = io.MultiWriter(os.Stderr, &c.stderr)
	out, err := c.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "http") {
		t.Fatalf("the child says %q, %v", lines.Text(), lines.Err())
	}
	c.window = windowAt(lines.Text())
	return c
}

func (c *childRun) kill() {
	_ = c.process.Process.Kill()
	_ = c.process.Wait()
}

// end ends it in order, and returns its exit status and its output.
func (c *childRun) end(t *testing.T) (status int, said string) {
	t.Helper()
	if err := c.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.process.Wait()
	return c.process.ProcessState.ExitCode(), c.stderr.String()
}

// typed edits the config of a model as the editor does, and returns the answer.
func (w *window) typed(t *testing.T, root, model, text string, since uint64) *api.AnalyzeResponse {
	t.Helper()
	saved := apptest.ReadFile(t, filepath.Join(root, model, "config.pbtxt"))
	return apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{
		Model: model, Path: "config.pbtxt", Text: text,
		Edit: &api.Edit{Since: since, BaseText: saved, BaseVersion: disk.VersionOf([]byte(saved), time.Time{}).Hash},
	})
}

func (w *window) read(t *testing.T, model string) *api.ReadFileResponse {
	t.Helper()
	return apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: model, Path: "config.pbtxt"})
}

// waitKept waits until the store has a text. A test with a fake clock proves that it takes less than a
// second (overlay.Keeper).
func waitKept(t *testing.T, dataDir, root, text string) {
	t.Helper()
	begun := time.Now()
	s, err := store.Open(t.Context(), store.Options{Dir: dataDir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	for {
		list, err := s.Drafts(t.Context(), real)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.Text == text {
				return
			}
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("long after the last key the store has %v", list)
		}
		time.Sleep(5 * time.Millisecond) // another process writes the text
	}
}

// TestDraftsOutliveKill types, kills the workbench and starts it again: the text is back, and the
// workbench says so.
func TestDraftsOutliveKill(t *testing.T) {
	root, dataDir := apptest.CopyExamples(t), t.TempDir()
	text := strings.Replace(apptest.ReadFile(t, filepath.Join(root, "digits_prepare", "config.pbtxt")), "dims: [ 64 ]", "dims: [ 65 ]", 1)
	w, kill := openChild(t, root, dataDir)
	first := w.typed(t, root, "digits_prepare", text+"# typ", 0)
	w.typed(t, root, "digits_prepare", text, first.Version)
	waitKept(t, dataDir, root, text)
	run := w.read(t, "digits").Run
	kill()

	again := openWith(t, app.Options{Repositories: []string{root}, DataDir: dataDir})
	s := again.Until(t, "it says so, and counts what is wrong with it", func(s *apptest.Snapshot) bool {
		return len(s.Drafts) == 1 && strings.Contains(strings.Join(s.Notices, "\n"), "1 file were brought back: digits_prepare/config.pbtxt") &&
			s.Repository.GetProblemModels() == 2
	})
	if d := s.Drafts[0]; !d.Restored || d.Missing || d.Model != "digits_prepare" || d.Path != "config.pbtxt" {
		t.Errorf("%v", d)
	}
	found := again.read(t, "digits_prepare")
	if found.Draft.GetText() != text || found.Draft.BaseVersion != found.Version {
		t.Errorf("%v", found)
	}
	if found.Run == "" || found.Run == run {
		t.Errorf("this run is called %q, the one before %q", found.Run, run)
	}

	// A discard can be undone.
	gone := apptest.Call(t, again.Editor.DiscardDrafts, &api.DiscardDraftsRequest{Versions: []uint64{found.Draft.Version}})
	again.Until(t, "it is gone, and the ensemble is well", func(s *apptest.Snapshot) bool { return len(s.Drafts) == 0 && s.Repository.GetProblemModels() == 0 })
	apptest.Call(t, again.Editor.RestoreDrafts, &api.RestoreDraftsRequest{Drafts: gone.Drafts})
	if back := again.read(t, "digits_prepare"); back.Draft.GetText() != text {
		t.Errorf("%v", back)
	}
	again.Close()

	// An orderly end keeps the text too, and changes on disk are noticed meanwhile.
	config := filepath.Join(root, "digits_prepare", "config.pbtxt")
	apptest.Write(t, config, "# changed meanwhile\n"+apptest.ReadFile(t, config))
	third := openWith(t, app.Options{Repositories: []string{root}, DataDir: dataDir})
	if found := third.read(t, "digits_prepare"); found.Draft.GetText() != text || found.Draft.BaseVersion == found.Version {
		t.Errorf("%v", found)
	}
}

// TestDraftsOfTwoRepositories: a text of one repository is not shown in another with the same models,
// and is not saved there.
func TestDraftsOfTwoRepositories(t *testing.T) {
	a, b := apptest.CopyExamples(t), apptest.CopyExamples(t)
	w := open(t, a)
	s := w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 && s.Repository.Id != "" })
	mine := apptest.ReadFile(t, filepath.Join(a, "digits", "config.pbtxt")) + "# mine\n"
	w.typed(t, a, "digits", mine, 0)
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: b})
	if found := w.read(t, "digits"); found.Draft != nil || found.Repository == s.Repository.Id {
		t.Errorf("%v", found)
	}
	request := &api.SaveFileRequest{
		Model: "digits", Path: "config.pbtxt", Text: mine, Repository: s.Repository.Id, BaseVersion: w.read(t, "digits").Version,
	}
	if why := apptest.Refused(t, w.Editor.SaveFile, request, connect.CodeFailedPrecondition); !strings.Contains(why, "open "+a+" again") {
		t.Errorf("refused with %q", why)
	}
	edit := &api.AnalyzeRequest{Model: "digits", Path: "config.pbtxt", Text: mine, Edit: &api.Edit{Repository: s.Repository.Id}}
	apptest.Refused(t, w.Editor.Analyze, edit, connect.CodeFailedPrecondition)
	if now := apptest.ReadFile(t, filepath.Join(b, "digits", "config.pbtxt")); strings.Contains(now, "mine") {
		t.Errorf("it was written into the other: %s", now)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: link})
	if found := w.read(t, "digits"); found.Draft.GetText() != mine {
		t.Errorf("back in the first: %v", found)
	}
}

// TestTwoWindows: a window that edits an older text is told of the newer one, and nothing is
// overwritten.
func TestTwoWindows(t *testing.T) {
	w := openExamples(t)
	text := apptest.Config(t, w.Window, "digits")
	first := w.typed(t, w.Root, "digits", text+"# a\n", 0)
	second := w.typed(t, w.Root, "digits", text+"# b\n", first.Version)
	late := w.typed(t, w.Root, "digits", text+"# c\n", first.Version)
	if late.Newer.GetText() != text+"# b\n" || late.Newer.GetVersion() != second.Version || late.Version != 0 {
		t.Errorf("%v", late)
	}
	saved := apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{
		Model: "digits", Path: "config.pbtxt", Text: text + "# c\n", BaseVersion: w.read(t, "digits").Version, Since: first.Version,
	})
	if saved.Newer.GetText() != text+"# b\n" || apptest.Config(t, w.Window, "digits") != text {
		t.Errorf("%v", saved)
	}
	saved = apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{
		Model: "digits", Path: "config.pbtxt", Text: text + "# b\n", BaseVersion: w.read(t, "digits").Version, Since: second.Version,
	})
	if saved.Version == "" || saved.DraftVersion != 0 || w.read(t, "digits").Draft != nil {
		t.Errorf("%v", saved)
	}
	if late := w.typed(t, w.Root, "digits", text+"# b\n# late\n", second.Version); !late.Gone || late.Version != 0 {
		t.Errorf("typed on from what was saved: %v", late)
	}
	third := w.typed(t, w.Root, "digits", text+"# d\n", 0)
	apptest.Call(t, w.Editor.DiscardDrafts, &api.DiscardDraftsRequest{Versions: []uint64{third.Version}})
	if late := w.typed(t, w.Root, "digits", text+"# d\n", third.Version); !late.Gone || w.read(t, "digits").Draft != nil {
		t.Errorf("typed on from what was discarded: %v", late)
	}
}

// TestSavedBeforeItWasKept: a page that saves faster than the app answers is not asked about its own
// text, and no older text stays over the saved one.
func TestSavedBeforeItWasKept(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	before := w.read(t, "add_sub")
	kept := func(text string, number uint64) {
		t.Helper()
		answer := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{
			Model: "add_sub", Path: "config.pbtxt", Text: text, Number: number,
			Edit: &api.Edit{BaseText: before.Text, BaseVersion: before.Version, Writer: "page"},
		})
		if answer.Newer != nil {
			t.Errorf("a page is told of its own text: %v", answer.Newer)
		}
	}
	kept(before.Text+"# a", 1)
	answer := apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{
		Model: "add_sub", Path: "config.pbtxt", Text: before.Text + "# ab", BaseVersion: before.Version, Writer: "page", Number: 2,
	})
	kept(before.Text+"# ab", 2) // its answer had not arrived
	if now := w.read(t, "add_sub"); answer.Newer != nil || answer.DraftVersion != 0 || now.Draft != nil || now.Text != before.Text+"# ab" {
		t.Errorf("%v, then %v", answer, now)
	}
}

// TestTextBeside: a second window types while it is asked about the first one's text. Its text is a
// second unsaved text of the file. It outlives the program and is discarded by its version.
func TestTextBeside(t *testing.T) {
	root, dataDir := apptest.CopyExamples(t), t.TempDir()
	const beside, text = "config.pbtxt (another window 1234)", "# typed in the second window"
	options := app.Options{Repositories: []string{root}, DataDir: dataDir}
	w := openWith(t, options)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "add_sub", Path: beside, Text: text, Edit: &api.Edit{Writer: "second"}})
	w.Close()
	w = openWith(t, options)
	w.Until(t, "the text is listed", func(s *apptest.Snapshot) bool { return len(s.Drafts) == 1 && s.Drafts[0].Path == beside })
	found := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "add_sub", Path: beside})
	if found.Exists || found.Draft.GetText() != text {
		t.Fatalf("%v", found)
	}
	if main := w.read(t, "add_sub"); main.Draft != nil {
		t.Errorf("it is a text of the file itself: %v", main.Draft)
	}
	gone := apptest.Call(t, w.Editor.DiscardDrafts, &api.DiscardDraftsRequest{Versions: []uint64{found.Draft.Version}})
	if len(gone.Drafts) != 1 {
		t.Errorf("%v", gone)
	}
}

// TestDraftsGoWithTheName: when a model is renamed, its unsaved texts move with it. A plan that is
// older than a text is refused.
func TestDraftsGoWithTheName(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	labels := &api.AnalyzeRequest{Model: "digits", Path: "notes.txt", Text: "to do", Edit: &api.Edit{}}
	apptest.Call(t, w.Editor.Analyze, labels)
	plan := apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: "digits", WholeModel: true, Name: "numbers"})
	saved := apptest.Config(t, w.Window, "read_digit")
	unsaved := w.typed(t, w.Root, "read_digit", saved+"# more\n", 0)
	answer := apptest.Call(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: "numbers", Files: apptest.Writes(plan.Files).Files})
	if len(answer.Changed) != 1 || answer.Changed[0].Model != "read_digit" {
		t.Fatalf("typed after it was planned: %v", answer)
	}
	plan = apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: "digits", WholeModel: true, Name: "numbers"})
	answer = apptest.Call(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: "numbers", Files: apptest.Writes(plan.Files).Files})
	if len(answer.Changed) > 0 || len(answer.Files) != 2 {
		t.Fatalf("%v", answer)
	}
	if now := apptest.Config(t, w.Window, "read_digit"); !strings.Contains(now, "# more") || !strings.Contains(now, `"numbers"`) {
		t.Errorf("what was unsaved is not part of it: %s", now)
	}
	s := w.Until(t, "only the note is unsaved", func(s *apptest.Snapshot) bool { return len(s.Drafts) == 1 && !s.Drafts[0].Missing })
	if d := s.Drafts[0]; d.Model != "numbers" || d.Path != "notes.txt" || unsaved.Version == 0 {
		t.Errorf("%v", d)
	}
	var back []*api.FileWrite
	for _, f := range answer.Files {
		back = append(back, &api.FileWrite{Model: f.Model, Path: f.Path, Text: f.Before, BaseVersion: f.Version, Draft: f.Draft})
	}
	apptest.Call(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: "numbers", Name: "digits", Files: back})
	found := w.read(t, "read_digit")
	if found.Text != saved || found.Draft.GetText() != saved+"# more\n" || found.Draft.GetBaseVersion() != found.Version {
		t.Errorf("after the rename was undone: %v", found)
	}
}

// TestDraftOfRemovedModel: the text of a removed model is kept, and is there when the model comes
// back.
func TestDraftOfRemovedModel(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	text := apptest.Config(t, w.Window, "add_sub") + "# mine\n"
	w.typed(t, w.Root, "add_sub", text, 0)
	aside := filepath.Join(t.TempDir(), "add_sub")
	if err := os.Rename(filepath.Join(w.Root, "add_sub"), aside); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it is gone", func(s *apptest.Snapshot) bool {
		return s.Models["add_sub"] == nil && len(s.Drafts) == 1 && s.Drafts[0].Missing
	})
	if err := os.Rename(aside, filepath.Join(w.Root, "add_sub")); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it is back", func(s *apptest.Snapshot) bool {
		return s.Models["add_sub"] != nil && len(s.Drafts) == 1 && !s.Drafts[0].Missing
	})
	if found := w.read(t, "add_sub"); found.Draft.GetText() != text {
		t.Errorf("%v", found)
	}
}

// TestJudgedOnce: a key causes one judgement of its text and one of each model that depends on it, for
// any number of readers.
func TestJudgedOnce(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are judged", func(s *apptest.Snapshot) bool {
		for _, m := range s.Models {
			if m.Kind == "" {
				return false
			}
		}
		return apptest.AllReady(s)
	})
	text := strings.Replace(apptest.Config(t, w.Window, "digits_prepare"), "dims: [ 64 ]", "dims: [ 65 ]", 1)
	before := language.Judged()
	got := w.typed(t, w.Root, "digits_prepare", text, 0)
	w.Until(t, "lists and badges have it", func(s *apptest.Snapshot) bool {
		return s.Models["digits_prepare"].Errors > 0 && s.Repository.GetProblemModels() == 2
	})
	w.typed(t, w.Root, "digits_prepare", text, got.Version)
	list := apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{})
	if len(got.Diagnostics) == 0 || len(list.Files) != 2 || len(list.Files[0].Diagnostics) != len(got.Diagnostics) {
		t.Errorf("the editor has %v, the list %v", got.Diagnostics, list.Files)
	}
	if n := language.Judged() - before; n != 2 {
		t.Errorf("%d texts were judged for one edit and one model that depends on it, want 2", n)
	}
}
