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
	w.until(t, "all are ready", allReady)
	for _, c := range badConfigs {
		t.Run(c.name, func(t *testing.T) {
			config := filepath.Join(w.root, "add_sub", "config.pbtxt")
			text := c.text(readFile(t, config))
			w.spoil(t, func() { write(t, config, text) }, c.problem)
		})
	}
	t.Run("a folder", func(t *testing.T) { w.replaceConfig(t, func(path string) error { return os.Mkdir(path, 0o755) }) })
	t.Run("a pipe", func(t *testing.T) { w.replaceConfig(t, func(path string) error { return syscall.Mkfifo(path, 0o644) }) })
	t.Run("a link to nowhere", func(t *testing.T) { linkConfig(t, w) })
}

// linkConfig: for Triton a config behind a broken link does not exist, so the model is served without
// one. People are told.
func linkConfig(t *testing.T, w *window) {
	config := filepath.Join(w.root, "add_sub", "config.pbtxt")
	good := readFile(t, config)
	if err := errors.Join(os.Remove(config), os.Symlink("nowhere", config)); err != nil {
		t.Fatal(err)
	}
	w.until(t, "it serves without", func(s *snapshot) bool { return s.well("add_sub") && s.models["add_sub"].Warnings > 0 })
	w.wantProblem(t, "add_sub", config+" is a symbolic link to something that does not exist")
	// Saving makes the file that the link points to, since that is in the model's folder.
	call(t, w.editor.SaveFile, &api.SaveFileRequest{Model: "add_sub", Path: "config.pbtxt", Text: good})
	if now := readFile(t, filepath.Join(w.root, "add_sub", "nowhere")); now != good {
		t.Errorf("the target holds %q", now)
	}
	w.until(t, "it is mended", func(s *snapshot) bool { return s.well("add_sub") && s.models["add_sub"].Warnings == 0 })
}

// spoil breaks the config of add_sub and repairs it again. A text that Triton accepts comes after a
// broken one, so that the test sees it being accepted.
func (w *window) spoil(t *testing.T, how func(), problem string) {
	t.Helper()
	config := filepath.Join(w.root, "add_sub", "config.pbtxt")
	good := readFile(t, config)
	if problem == "" {
		write(t, config, "}")
		w.until(t, "the older one serves", func(s *snapshot) bool { return s.broken("add_sub") })
		how()
		w.until(t, "it is taken", func(s *snapshot) bool { return s.well("add_sub") })
	} else {
		how()
		s := w.until(t, "the older one serves", func(s *snapshot) bool { return s.broken("add_sub") })
		if s.models["add_sub"].Reason == "" {
			t.Error("no reason is told")
		}
		w.wantProblem(t, "add_sub", problem)
	}
	w.readAndAnalyze(t)
	if out := call(t, w.try.Infer, sum()); !out.Ok {
		t.Errorf("meanwhile: %v", out.Error)
	}
	write(t, config, good)
	w.until(t, "it is mended", func(s *snapshot) bool { return s.well("add_sub") })
}

func (w *window) replaceConfig(t *testing.T, by func(path string) error) {
	config := filepath.Join(w.root, "add_sub", "config.pbtxt")
	good := readFile(t, config)
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	if err := by(config); err != nil {
		t.Fatal(err)
	}
	w.until(t, "the older one serves", func(s *snapshot) bool { return s.state("add_sub") == api.ModelState_MODEL_STATE_OLDER_SERVES })
	w.wantProblem(t, "add_sub", config)
	if _, err := w.editor.ReadFile(t.Context(), connect.NewRequest(&api.ReadFileRequest{Model: "add_sub", Path: "config.pbtxt"})); err == nil {
		t.Error("it was read")
	}
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	write(t, config, good)
	w.until(t, "it is mended", func(s *snapshot) bool { return s.well("add_sub") })
}

// readAndAnalyze does what the editor does with an open file of any content.
func (w *window) readAndAnalyze(t *testing.T) {
	t.Helper()
	file, err := w.editor.ReadFile(t.Context(), connect.NewRequest(&api.ReadFileRequest{Model: "add_sub", Path: "config.pbtxt"}))
	if err != nil {
		if !strings.Contains(err.Error(), "MB") {
			t.Errorf("reading says %v", err)
		}
		return
	}
	call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "add_sub", Path: "config.pbtxt", Text: file.Msg.Text})
	call(t, w.models.GetModel, &api.GetModelRequest{Name: "add_sub"})
	call(t, w.models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "add_sub"})
}

// wantProblem waits until the list of problems has one with these words in its code or message.
func (w *window) wantProblem(t *testing.T, model, words string) {
	t.Helper()
	var all []string
	w.until(t, "there are problems", func(s *snapshot) bool { return s.models[model].Errors+s.models[model].Warnings > 0 })
	for _, file := range call(t, w.workspace.ListProblems, &api.ListProblemsRequest{Model: model}).Files {
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

func (s *snapshot) broken(model string) bool {
	return s.state(model) == api.ModelState_MODEL_STATE_OLDER_SERVES && s.models[model].Errors > 0
}

func (s *snapshot) well(model string) bool {
	return s.state(model) == api.ModelState_MODEL_STATE_READY && s.models[model].Errors == 0
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestCutModelFile: after a model file is cut in half, the old model keeps serving. When the file is
// complete again, it is loaded without a request.
func TestCutModelFile(t *testing.T) {
	w := openExamples(t)
	w.until(t, "all are ready", allReady)
	file := filepath.Join(w.root, "digits", "1", "model.onnx")
	whole := readFile(t, file)
	write(t, file, whole[:len(whole)/2])
	w.until(t, "the older one serves", func(s *snapshot) bool { return s.broken("digits") })
	w.wantProblem(t, "digits", "cut off")
	write(t, file, whole)
	w.until(t, "it is mended", func(s *snapshot) bool { return s.well("digits") })

	late := filepath.Join(w.root, "late", "1", "model.onnx")
	write(t, late, whole[:100])
	w.until(t, "the new model is listed", func(s *snapshot) bool { return s.models["late"].GetErrors() > 0 })
	w.wantProblem(t, "late", "cut off")
	said := refused(t, w.models.Load, &api.LoadRequest{Name: "late"}, connect.CodeFailedPrecondition)
	if !strings.Contains(said, "late") {
		t.Errorf("said %q", said)
	}
	w.until(t, "it failed", func(s *snapshot) bool { return s.state("late") == api.ModelState_MODEL_STATE_FAILED })
	write(t, late, whole)
	w.until(t, "it is complete and loaded", func(s *snapshot) bool { return s.well("late") })
}
