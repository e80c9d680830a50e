//go:build unix

package rpc_test

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
	"conch/app/apptest"
	disk "conch/repo/write"
)

// TestLanguage tests what the editor knows beyond one file.
func TestLanguage(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	t.Run("dependants", func(t *testing.T) { judgeDependants(t, w) })
	t.Run("names", func(t *testing.T) { findNames(t, w) })
	t.Run("compare", func(t *testing.T) { compareConfig(t, w) })
	t.Run("conflict", func(t *testing.T) { renameUnderAnEdit(t, w) })
	t.Run("rename", func(t *testing.T) { renameEverywhere(t, w) })
	t.Run("folder", func(t *testing.T) { createFolder(t, w) })
	t.Run("file", func(t *testing.T) { createFile(t, w) })
	t.Run("explain", func(t *testing.T) { explainRule(t, w) })
}

// explainRule: the window gets what the command line prints. A rule that does not exist is reported.
func explainRule(t *testing.T, w *apptest.Window) {
	got := apptest.Call(t, w.Editor.ExplainRule, &api.ExplainRuleRequest{Rule: "SB1"})
	wrong := slices.ContainsFunc(got.Example, func(l *api.ExampleLine) bool {
		return l.Side == api.ExampleLine_SIDE_WRONG && l.Text == "response_cache { enable: true }"
	})
	if got.Rule != "SB1" || got.Title == "" || got.Why == "" || got.Fix == "" || len(got.Triton) != 1 || !wrong {
		t.Errorf("SB1: %v", got)
	}
	_, err := w.Editor.ExplainRule(t.Context(), connect.NewRequest(&api.ExplainRuleRequest{Rule: "SB99"}))
	if connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("a rule that does not exist: %v", err)
	}
}

func judgeDependants(t *testing.T, w *apptest.Window) {
	text := strings.Replace(apptest.Config(t, w, "digits_prepare"), "dims: [ 64 ]", "dims: [ 65 ]", 1)
	saved := apptest.Config(t, w, "digits_prepare")
	edit := &api.Edit{BaseText: saved, BaseVersion: disk.VersionOf([]byte(saved), time.Time{}).Hash}
	got := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits_prepare", Path: "config.pbtxt", Text: text, Number: 7, Edit: edit})
	if got.Number != 7 || len(got.Diagnostics) == 0 || len(got.Outline) == 0 || got.Outline[0].Label != "name" {
		t.Errorf("%v", got)
	}
	if len(got.Dependants) != 1 || got.Dependants[0].Model != "read_digit" || !strings.Contains(got.Dependants[0].Diagnostics[0].Message, "65") {
		t.Errorf("dependants %v", got.Dependants)
	}
	ensemble := apptest.Config(t, w, "read_digit")
	version := got.Version
	got = apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "read_digit", Path: "config.pbtxt", Text: ensemble})
	if len(got.Diagnostics) == 0 || len(got.Hints) == 0 {
		t.Errorf("beside an unsaved text: %v", got)
	}
	apptest.Call(t, w.Editor.DiscardDrafts, &api.DiscardDraftsRequest{Versions: []uint64{version}})
	got = apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "read_digit", Path: "config.pbtxt", Text: ensemble})
	if len(got.Diagnostics) > 0 {
		t.Errorf("after it was discarded: %v", got.Diagnostics)
	}
}

func findNames(t *testing.T, w *apptest.Window) {
	text := "# \U0001F41A\r\n" + apptest.Config(t, w, "read_digit")
	offset := len(utf16.Encode([]rune(text[:strings.Index(text, `"prepared"`)])))
	got := apptest.Call(t, w.Editor.FindName, &api.FindNameRequest{Model: "read_digit", Path: "config.pbtxt", Text: text, Offset: uint32(offset + 2)})
	if !got.Found || got.Title != `output "prepared" of digits_prepare` || got.From != uint32(offset) || got.Fixed != "" {
		t.Fatalf("%v", got)
	}
	if len(got.Places) != 2 || got.Places[0].Model != "digits_prepare" || !got.Places[0].Definition ||
		got.Places[1].From != uint32(offset) || got.Places[1].Role != "Taken by step 1 of read_digit" {
		t.Errorf("%v", got.Places)
	}
	bare := apptest.Call(t, w.Editor.FindName, &api.FindNameRequest{Model: "read_digit", Path: "config.pbtxt", Text: text, Offset: 1})
	if bare.Found {
		t.Errorf("in a comment: %v", bare)
	}
}

func compareConfig(t *testing.T, w *apptest.Window) {
	got := apptest.Call(t, w.Editor.Compare, &api.CompareRequest{Model: "digits", Path: "config.pbtxt", Text: `backend: "onnxruntime"`})
	if got.ModelFile != "1/model.onnx" || len(got.Fields) < 10 || !strings.Contains(got.Note, "opset") {
		t.Errorf("%v", got)
	}
}

func renameUnderAnEdit(t *testing.T, w *apptest.Window) {
	before := apptest.Config(t, w, "read_digit")
	input := strings.Index(apptest.Config(t, w, "digits_prepare"), `"prepared"`)
	got := apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{
		Model: "digits_prepare", Path: "config.pbtxt", Text: apptest.Config(t, w, "digits_prepare"), Offset: uint32(input), Name: "blocks",
	})
	if len(got.Files) != 2 || !strings.Contains(got.Warning, "digits_prepare") {
		t.Fatalf("%v", got)
	}
	apptest.Write(t, filepath.Join(w.Root, "digits_prepare", "config.pbtxt"), apptest.Config(t, w, "digits_prepare")+"# touched\n")
	answer := apptest.Call(t, w.Editor.WriteFiles, apptest.Writes(got.Files))
	if len(answer.Changed) != 1 || answer.Changed[0].Model != "digits_prepare" || len(answer.Files) != 0 {
		t.Errorf("%v", answer)
	}
	if apptest.Config(t, w, "read_digit") != before {
		t.Error("a part was written")
	}
}

func renameEverywhere(t *testing.T, w *apptest.Window) {
	before := apptest.Config(t, w, "read_digit")
	if got := apptest.Plan(t, w, before, "DIGIT"); got.Problem == "" || len(got.Files) != 0 {
		t.Errorf("a name that is taken: %v", got)
	}
	got := apptest.Plan(t, w, "# mine\n"+before, "blocks")
	if len(got.Files) != 1 || !got.Files[0].Unsaved || len(got.Files[0].Lines) != 2 || !strings.Contains(got.Files[0].Lines[0].After, `"blocks"`) {
		t.Fatalf("%v", got)
	}
	answer := apptest.Call(t, w.Editor.WriteFiles, apptest.Writes(got.Files))
	if len(answer.Changed) != 0 || len(answer.Files) != 1 || answer.Files[0].Before != before {
		t.Errorf("%v", answer)
	}
	after := apptest.Config(t, w, "read_digit")
	if strings.Count(after, `"blocks"`) != 2 || !strings.HasPrefix(after, "# mine\n") {
		t.Errorf("%s", after)
	}
	made := &api.WriteFilesRequest{Files: []*api.FileWrite{{Model: "digits", Path: "configs/small.pbtxt", Text: "max_batch_size: 4\n"}}}
	apptest.Call(t, w.Editor.WriteFiles, made)
	if again := apptest.Call(t, w.Editor.WriteFiles, made); len(again.Changed) != 1 {
		t.Errorf("a new file over one that is there: %v", again)
	}
	apptest.Refused(t, w.Editor.WriteFiles, &api.WriteFilesRequest{Files: []*api.FileWrite{{Model: "digits", Path: "../x", Text: "x"}}}, connect.CodePermissionDenied)
}

func createFolder(t *testing.T, w *apptest.Window) {
	apptest.Call(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "fresh", Backend: "onnxruntime"})
	if err := os.RemoveAll(filepath.Join(w.Root, "fresh", "1")); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "the new model is listed", func(s *apptest.Snapshot) bool {
		m := s.Models["fresh"]
		return m != nil && m.Errors > 0 && len(m.Versions) == 0
	})
	got := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "fresh", Path: "config.pbtxt", Text: apptest.Config(t, w, "fresh")})
	folder := ""
	for _, d := range got.Diagnostics {
		for _, fix := range d.Fixes {
			folder += fix.Folder
		}
	}
	if folder != "1" {
		t.Fatalf("no fix makes 1/: %v", got.Diagnostics)
	}
	apptest.Call(t, w.Editor.CreateFolder, &api.CreateFolderRequest{Model: "fresh", Path: folder})
	if info, err := os.Stat(filepath.Join(w.Root, "fresh", "1")); err != nil || !info.IsDir() {
		t.Errorf("%v", err)
	}
	apptest.Refused(t, w.Editor.CreateFolder, &api.CreateFolderRequest{Model: "fresh", Path: folder}, connect.CodeAlreadyExists)
	apptest.Refused(t, w.Editor.CreateFolder, &api.CreateFolderRequest{Model: "fresh", Path: "../other"}, connect.CodeInvalidArgument)
	apptest.Refused(t, w.Editor.CreateFolder, &api.CreateFolderRequest{Model: "fresh", Path: "__pycache__"}, connect.CodeInvalidArgument)
}

// createFile: a new file stays in the model's folder, has a name that is listed, and takes the place of none.
func createFile(t *testing.T, w *apptest.Window) {
	asked := &api.CreateFileRequest{Model: "digits", Path: "notes/read me.txt", Text: "hello"}
	apptest.Call(t, w.Editor.CreateFile, asked)
	if got := apptest.ReadFile(t, filepath.Join(w.Root, "digits", "notes", "read me.txt")); got != "hello" {
		t.Errorf("it holds %q", got)
	}
	apptest.Refused(t, w.Editor.CreateFile, asked, connect.CodeAlreadyExists)
	if err := os.Symlink(t.TempDir(), filepath.Join(w.Root, "digits", "out")); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]connect.Code{
		"../x": connect.CodeInvalidArgument, "/etc/x": connect.CodeInvalidArgument, "out/x": connect.CodePermissionDenied, "notes": connect.CodeAlreadyExists, "notes/read me.txt/x": connect.CodeFailedPrecondition,
		"": connect.CodeInvalidArgument, "1/": connect.CodeInvalidArgument, "x.tmp": connect.CodeInvalidArgument, "notes//x": connect.CodeInvalidArgument,
	} {
		apptest.Refused(t, w.Editor.CreateFile, &api.CreateFileRequest{Model: "digits", Path: path}, code)
	}
	apptest.Refused(t, w.Editor.CreateFile, &api.CreateFileRequest{Model: "nobody", Path: "x"}, connect.CodeNotFound)
}
