//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"connectrpc.com/connect"

	"conch/app/api"
	disk "conch/repo/write"
)

// TestLanguage tests what the editor knows beyond one file.
func TestLanguage(t *testing.T) {
	w := openExamples(t)
	w.until(t, "the models are listed", func(s *snapshot) bool { return len(s.models) == 4 })
	t.Run("dependants", func(t *testing.T) { judgeDependants(t, w) })
	t.Run("names", func(t *testing.T) { findNames(t, w) })
	t.Run("compare", func(t *testing.T) { compareConfig(t, w) })
	t.Run("conflict", func(t *testing.T) { renameUnderAnEdit(t, w) })
	t.Run("rename", func(t *testing.T) { renameEverywhere(t, w) })
	t.Run("folder", func(t *testing.T) { createFolder(t, w) })
	t.Run("explain", func(t *testing.T) { explainRule(t, w) })
}

// explainRule: the window gets what the command line prints. A rule that does not exist is reported.
func explainRule(t *testing.T, w *window) {
	got := call(t, w.editor.ExplainRule, &api.ExplainRuleRequest{Rule: "SB1"})
	wrong := slices.ContainsFunc(got.Example, func(l *api.ExampleLine) bool {
		return l.Side == api.ExampleLine_SIDE_WRONG && l.Text == "response_cache { enable: true }"
	})
	if got.Rule != "SB1" || got.Title == "" || got.Why == "" || got.Fix == "" || len(got.Triton) != 1 || !wrong {
		t.Errorf("SB1: %v", got)
	}
	_, err := w.editor.ExplainRule(t.Context(), connect.NewRequest(&api.ExplainRuleRequest{Rule: "SB99"}))
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("a rule that does not exist: %v", err)
	}
}

func config(t *testing.T, w *window, model string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.root, model, "config.pbtxt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func judgeDependants(t *testing.T, w *window) {
	text := strings.Replace(config(t, w, "digits_prepare"), "dims: [ 64 ]", "dims: [ 65 ]", 1)
	saved := config(t, w, "digits_prepare")
	edit := &api.Edit{BaseText: saved, BaseVersion: disk.VersionOf([]byte(saved), time.Time{}).Hash}
	got := call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "digits_prepare", Path: "config.pbtxt", Text: text, Number: 7, Edit: edit})
	if got.Number != 7 || len(got.Diagnostics) == 0 || len(got.Outline) == 0 || got.Outline[0].Label != "name" {
		t.Errorf("%v", got)
	}
	if len(got.Dependants) != 1 || got.Dependants[0].Model != "read_digit" || !strings.Contains(got.Dependants[0].Diagnostics[0].Message, "65") {
		t.Errorf("dependants %v", got.Dependants)
	}
	ensemble := config(t, w, "read_digit")
	version := got.Version
	got = call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "read_digit", Path: "config.pbtxt", Text: ensemble})
	if len(got.Diagnostics) == 0 || len(got.Hints) == 0 {
		t.Errorf("beside an unsaved text: %v", got)
	}
	call(t, w.editor.DiscardDrafts, &api.DiscardDraftsRequest{Versions: []uint64{version}})
	got = call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "read_digit", Path: "config.pbtxt", Text: ensemble})
	if len(got.Diagnostics) > 0 {
		t.Errorf("after it was discarded: %v", got.Diagnostics)
	}
}

func findNames(t *testing.T, w *window) {
	text := "# \U0001F41A\r\n" + config(t, w, "read_digit")
	offset := len(utf16.Encode([]rune(text[:strings.Index(text, `"prepared"`)])))
	got := call(t, w.editor.FindName, &api.FindNameRequest{Model: "read_digit", Path: "config.pbtxt", Text: text, Offset: uint32(offset + 2)})
	if !got.Found || got.Title != `output "prepared" of digits_prepare` || got.From != uint32(offset) || got.Fixed != "" {
		t.Fatalf("%v", got)
	}
	if len(got.Places) != 2 || got.Places[0].Model != "digits_prepare" || !got.Places[0].Definition ||
		got.Places[1].From != uint32(offset) || got.Places[1].Role != "Taken by step 1 of read_digit" {
		t.Errorf("%v", got.Places)
	}
	bare := call(t, w.editor.FindName, &api.FindNameRequest{Model: "read_digit", Path: "config.pbtxt", Text: text, Offset: 1})
	if bare.Found {
		t.Errorf("in a comment: %v", bare)
	}
}

func compareConfig(t *testing.T, w *window) {
	got := call(t, w.editor.Compare, &api.CompareRequest{Model: "digits", Path: "config.pbtxt", Text: `backend: "onnxruntime"`})
	if got.ModelFile != "1/model.onnx" || len(got.Fields) < 10 || !strings.Contains(got.Note, "opset") {
		t.Errorf("%v", got)
	}
}

// plan plans to rename the tensor "prepared" between the steps of read_digit.
func plan(t *testing.T, w *window, text, name string) *api.PlanRenameResponse {
	t.Helper()
	offset := strings.LastIndex(text, `"prepared"`) + 1
	return call(t, w.editor.PlanRename, &api.PlanRenameRequest{Model: "read_digit", Path: "config.pbtxt", Text: text, Offset: uint32(offset), Name: name})
}

func writes(files []*api.PlannedFile) *api.WriteFilesRequest {
	out := &api.WriteFilesRequest{}
	for _, f := range files {
		out.Files = append(out.Files, &api.FileWrite{Model: f.Model, Path: f.Path, Text: f.Text, BaseVersion: f.Version, DraftVersion: f.DraftVersion})
	}
	return out
}

func renameUnderAnEdit(t *testing.T, w *window) {
	before := config(t, w, "read_digit")
	input := strings.Index(config(t, w, "digits_prepare"), `"prepared"`)
	got := call(t, w.editor.PlanRename, &api.PlanRenameRequest{
		Model: "digits_prepare", Path: "config.pbtxt", Text: config(t, w, "digits_prepare"), Offset: uint32(input), Name: "blocks",
	})
	if len(got.Files) != 2 || !strings.Contains(got.Warning, "digits_prepare") {
		t.Fatalf("%v", got)
	}
	write(t, filepath.Join(w.root, "digits_prepare", "config.pbtxt"), config(t, w, "digits_prepare")+"# touched\n")
	answer := call(t, w.editor.WriteFiles, writes(got.Files))
	if len(answer.Changed) != 1 || answer.Changed[0].Model != "digits_prepare" || len(answer.Files) != 0 {
		t.Errorf("%v", answer)
	}
	if config(t, w, "read_digit") != before {
		t.Error("a part was written")
	}
}

func renameEverywhere(t *testing.T, w *window) {
	before := config(t, w, "read_digit")
	if got := plan(t, w, before, "DIGIT"); got.Problem == "" || len(got.Files) != 0 {
		t.Errorf("a name that is taken: %v", got)
	}
	got := plan(t, w, "# mine\n"+before, "blocks")
	if len(got.Files) != 1 || !got.Files[0].Unsaved || len(got.Files[0].Lines) != 2 || !strings.Contains(got.Files[0].Lines[0].After, `"blocks"`) {
		t.Fatalf("%v", got)
	}
	answer := call(t, w.editor.WriteFiles, writes(got.Files))
	if len(answer.Changed) != 0 || len(answer.Files) != 1 || answer.Files[0].Before != before {
		t.Errorf("%v", answer)
	}
	after := config(t, w, "read_digit")
	if strings.Count(after, `"blocks"`) != 2 || !strings.HasPrefix(after, "# mine\n") {
		t.Errorf("%s", after)
	}
	made := &api.WriteFilesRequest{Files: []*api.FileWrite{{Model: "digits", Path: "configs/small.pbtxt", Text: "max_batch_size: 4\n"}}}
	call(t, w.editor.WriteFiles, made)
	if again := call(t, w.editor.WriteFiles, made); len(again.Changed) != 1 {
		t.Errorf("a new file over one that is there: %v", again)
	}
	refused(t, w.editor.WriteFiles, &api.WriteFilesRequest{Files: []*api.FileWrite{{Model: "digits", Path: "../x", Text: "x"}}}, connect.CodePermissionDenied)
}

func createFolder(t *testing.T, w *window) {
	call(t, w.models.CreateModel, &api.CreateModelRequest{Name: "fresh", Backend: "python"})
	if err := os.RemoveAll(filepath.Join(w.root, "fresh", "1")); err != nil {
		t.Fatal(err)
	}
	w.until(t, "the new model is listed", func(s *snapshot) bool {
		m := s.models["fresh"]
		return m != nil && m.Errors > 0 && len(m.Versions) == 0
	})
	got := call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "fresh", Path: "config.pbtxt", Text: config(t, w, "fresh")})
	folder := ""
	for _, d := range got.Diagnostics {
		for _, fix := range d.Fixes {
			folder += fix.Folder
		}
	}
	if folder != "1" {
		t.Fatalf("no fix makes 1/: %v", got.Diagnostics)
	}
	call(t, w.editor.CreateFolder, &api.CreateFolderRequest{Model: "fresh", Path: folder})
	if info, err := os.Stat(filepath.Join(w.root, "fresh", "1")); err != nil || !info.IsDir() {
		t.Errorf("%v", err)
	}
	refused(t, w.editor.CreateFolder, &api.CreateFolderRequest{Model: "fresh", Path: "../other"}, connect.CodePermissionDenied)
}
