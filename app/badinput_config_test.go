//go:build unix

package app_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// badConfigs are texts that no person writes. "" as problem means that Triton accepts them.
var badConfigs = []struct {
	name    string
	text    func(good string) string
	problem string // in a diagnostic's code or message
}{
	{"random bytes", func(string) string { return randomBytes(5000) }, "TXT-"},
	{"UTF-16", func(good string) string { return "\xff\xfe" + strings.Join(strings.Split(good, ""), "\x00") }, "TXT-"},
	{"NUL at the end", func(good string) string { return good + "\x00" }, "control character"},
	{"byte order mark", func(good string) string { return "\uFEFF" + good }, "byte order mark"},
	{"CRLF", func(good string) string { return strings.ReplaceAll(good, "\n", "\r\n") }, ""},
	{"no final newline", func(good string) string { return strings.TrimRight(good, "\n") }, ""},
	{"2 MB of comments", func(good string) string { return good + strings.Repeat("# a line that says nothing\n", 80_000) }, ""},
	{"thousands of mistakes", func(good string) string { return good + strings.Repeat("imput { }\n", 50_000) }, "did you mean input"},
	{"thousands of open braces", func(good string) string { return good + strings.Repeat("input { ", 50_000) }, "TXT-"},
	{"9 MB", func(string) string { return strings.Repeat("x", 9<<20) }, "TXT-"},
	{"cut in half", func(good string) string { return good[:len(good)/2] }, "TXT-"},
}

func randomBytes(n int) string {
	source, text := rand.NewChaCha8([32]byte{}), make([]byte, n)
	_, _ = source.Read(text) // it never fails
	return string(text)
}

// TestBadConfigs: with each bad config, what was loaded keeps serving, and the reason is reported.
func TestBadConfigs(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	for _, c := range badConfigs {
		t.Run(c.name, func(t *testing.T) {
			config := filepath.Join(w.Root, "add_sub", "config.pbtxt")
			text := c.text(apptest.ReadFile(t, config))
			w.spoil(t, func() { apptest.Write(t, config, text) }, c.problem)
		})
	}
	t.Run("a folder", func(t *testing.T) { w.replaceConfig(t, func(path string) error { return os.Mkdir(path, 0o755) }) })
	t.Run("a pipe", func(t *testing.T) { w.replaceConfig(t, func(path string) error { return syscall.Mkfifo(path, 0o644) }) })
	t.Run("a link to nowhere", func(t *testing.T) { linkConfig(t, w) })
}

// linkConfig: for Triton a config behind a broken link does not exist, so the model is served without
// one. People are told.
func linkConfig(t *testing.T, w *window) {
	config := filepath.Join(w.Root, "add_sub", "config.pbtxt")
	good := apptest.ReadFile(t, config)
	if err := errors.Join(os.Remove(config), os.Symlink("nowhere", config)); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it serves without", func(s *apptest.Snapshot) bool { return well(s, "add_sub") && s.Models["add_sub"].Warnings > 0 })
	w.wantProblem(t, "add_sub", config+" is a symbolic link to something that does not exist")
	// Saving makes the file that the link points to, since that is in the model's folder.
	apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "add_sub", Path: "config.pbtxt", Text: good})
	if now := apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "nowhere")); now != good {
		t.Errorf("the target holds %q", now)
	}
	w.Until(t, "it is mended", func(s *apptest.Snapshot) bool { return well(s, "add_sub") && s.Models["add_sub"].Warnings == 0 })
}

// spoil breaks the config of add_sub and repairs it again. A text that Triton accepts comes after a
// broken one, so that the test sees it being accepted.
func (w *window) spoil(t *testing.T, how func(), problem string) {
	t.Helper()
	config := filepath.Join(w.Root, "add_sub", "config.pbtxt")
	good := apptest.ReadFile(t, config)
	if problem == "" {
		apptest.Write(t, config, "}")
		w.Until(t, "the older one serves", func(s *apptest.Snapshot) bool { return broken(s, "add_sub") })
		how()
		w.Until(t, "it is taken", func(s *apptest.Snapshot) bool { return well(s, "add_sub") })
	} else {
		how()
		s := w.Until(t, "the older one serves", func(s *apptest.Snapshot) bool { return broken(s, "add_sub") })
		if s.Models["add_sub"].Reason == "" {
			t.Error("no reason is told")
		}
		w.wantProblem(t, "add_sub", problem)
	}
	w.readAndAnalyze(t)
	if out := apptest.Call(t, w.Try.Infer, apptest.Sum()); !out.Ok {
		t.Errorf("meanwhile: %v", out.Error)
	}
	apptest.Write(t, config, good)
	w.Until(t, "it is mended", func(s *apptest.Snapshot) bool { return well(s, "add_sub") })
}

func (w *window) replaceConfig(t *testing.T, by func(path string) error) {
	config := filepath.Join(w.Root, "add_sub", "config.pbtxt")
	good := apptest.ReadFile(t, config)
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	if err := by(config); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "the older one serves", func(s *apptest.Snapshot) bool { return s.State("add_sub") == api.ModelState_MODEL_STATE_OLDER_SERVES })
	w.wantProblem(t, "add_sub", config)
	if _, err := w.Editor.ReadFile(t.Context(), connect.NewRequest(&api.ReadFileRequest{Model: "add_sub", Path: "config.pbtxt"})); err == nil {
		t.Error("it was read")
	}
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	apptest.Write(t, config, good)
	w.Until(t, "it is mended", func(s *apptest.Snapshot) bool { return well(s, "add_sub") })
}

// readAndAnalyze does what the editor does with an open file of any content.
func (w *window) readAndAnalyze(t *testing.T) {
	t.Helper()
	file, err := w.Editor.ReadFile(t.Context(), connect.NewRequest(&api.ReadFileRequest{Model: "add_sub", Path: "config.pbtxt"}))
	if err != nil {
		if !strings.Contains(err.Error(), "MiB") {
			t.Errorf("reading says %v", err)
		}
		return
	}
	apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "add_sub", Path: "config.pbtxt", Text: file.Msg.Text})
	apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "add_sub"})
	apptest.Call(t, w.Models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "add_sub"})
}

// wantProblem waits until the list of problems has one with these words in its code or message.
func (w *window) wantProblem(t *testing.T, model, words string) {
	t.Helper()
	var all []string
	w.Until(t, "there are problems", func(s *apptest.Snapshot) bool { return s.Models[model].Errors+s.Models[model].Warnings > 0 })
	for _, file := range apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{Model: model}).Files {
		for _, d := range file.Diagnostics {
			said := d.Code + " " + d.Message
			if strings.Contains(said, words) {
				return
			}
			all = append(all, said)
		}
	}
	t.Errorf("no problem says %q; there are %.1000q", words, all)
}

func broken(s *apptest.Snapshot, model string) bool {
	return s.State(model) == api.ModelState_MODEL_STATE_OLDER_SERVES && s.Models[model].Errors > 0
}

func well(s *apptest.Snapshot, model string) bool {
	return s.State(model) == api.ModelState_MODEL_STATE_READY && s.Models[model].Errors == 0
}

// TestCutModelFile: after a model file is cut in half, the old model keeps serving. When the file is
// complete again, it is loaded without a request.
func TestCutModelFile(t *testing.T) {
	w := openExamples(t)
	w.Until(t, "all are ready", apptest.AllReady)
	file := filepath.Join(w.Root, "digits", "1", "model.onnx")
	whole := apptest.ReadFile(t, file)
	apptest.Write(t, file, whole[:len(whole)/2])
	w.Until(t, "the older one serves", func(s *apptest.Snapshot) bool { return broken(s, "digits") })
	w.wantProblem(t, "digits", "cut off")
	apptest.Write(t, file, whole)
	w.Until(t, "it is mended", func(s *apptest.Snapshot) bool { return well(s, "digits") })

	late := filepath.Join(w.Root, "late", "1", "model.onnx")
	apptest.Write(t, late, whole[:100])
	w.Until(t, "the new model is listed", func(s *apptest.Snapshot) bool { return s.Models["late"].GetErrors() > 0 })
	w.wantProblem(t, "late", "cut off")
	said := apptest.Refused(t, w.Models.Load, &api.LoadRequest{Name: "late"}, connect.CodeFailedPrecondition)
	if !strings.Contains(said, "late") {
		t.Errorf("said %q", said)
	}
	w.Until(t, "it failed", func(s *apptest.Snapshot) bool { return s.State("late") == api.ModelState_MODEL_STATE_FAILED })
	apptest.Write(t, late, whole)
	w.Until(t, "it is complete and loaded", func(s *apptest.Snapshot) bool { return well(s, "late") })
}
