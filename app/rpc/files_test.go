//go:build unix

package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

func TestFiles(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	t.Run("outside", func(t *testing.T) { readOutside(t, w) })
	t.Run("odd texts", func(t *testing.T) { readOddTexts(t, w) })
	t.Run("not writable", func(t *testing.T) { readUnwritable(t, w) })
	t.Run("line ends", func(t *testing.T) { keepLineEnds(t, w) })
	t.Run("new file", func(t *testing.T) { writeNewFile(t, w) })
	t.Run("editor", func(t *testing.T) { useEditor(t, w) })
	t.Run("graph", func(t *testing.T) { drawGraph(t, w) })
	t.Run("effective", func(t *testing.T) { showEffective(t, w) })
	t.Run("create", func(t *testing.T) { createModels(t, w) })
	t.Run("settings", func(t *testing.T) { keepSettings(t, w) })
	t.Run("other folders", func(t *testing.T) { openOthers(t, w) })
}

func readOutside(t *testing.T, w *apptest.Window) {
	secret := filepath.Join(filepath.Dir(w.Root), "secret.txt")
	apptest.Write(t, secret, "secret")
	if err := os.Symlink(secret, filepath.Join(w.Root, "digits", "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../add_sub/config.pbtxt", "../../secret.txt", secret, "link.txt", "1/../../../secret.txt", "/etc/passwd", "a\x00b"} {
		apptest.Refused(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: path}, connect.CodePermissionDenied)
		apptest.Refused(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: path, Text: "x"}, connect.CodePermissionDenied)
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("the file outside now holds %q, %v", data, err)
	}
	apptest.Refused(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "..", Path: "secret.txt"}, connect.CodeNotFound)
	apptest.Refused(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: ""}, connect.CodeInvalidArgument)
	apptest.Refused(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "1"}, connect.CodeInvalidArgument)
	apptest.Refused(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "1/model.onnx"}, connect.CodeFailedPrecondition)
}

func readOddTexts(t *testing.T, w *apptest.Window) {
	dir := filepath.Join(w.Root, "digits")
	for name, test := range map[string]struct {
		content  string
		text     string
		note     string
		readOnly bool
	}{
		"bom.txt":    {"\uFEFFa\n", "\uFEFFa\n", "begins with a byte order mark", false},
		"crlf.txt":   {"a\r\nb\r\n", "a\r\nb\r\n", "CRLF line ends", false},
		"mixed.txt":  {"a\r\nb\n", "a\r\nb\n", "mixed line ends: they stay as they are", false},
		"latin.txt":  {"caf\xe9", "caf\uFFFD", "This file is not UTF-8, so it cannot be saved here: \uFFFD stands for each byte that is not text. Save it as UTF-8 with the editor that wrote it.", true},
		"nul.txt":    {"a\x00b", "a\u2400b", "This file has NUL bytes, shown as ␀, so it cannot be saved here. Take them out with another editor.", true},
		"plain.txt":  {"a", "a", "", false},
		"empty.json": {"", "", "", false},
	} {
		apptest.Write(t, filepath.Join(dir, name), test.content)
		got := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: name})
		if got.Text != test.text || got.Note != test.note || got.ReadOnly != test.readOnly || !got.Exists {
			t.Errorf("%s: %v", name, got)
		}
	}
	apptest.Write(t, filepath.Join(dir, "large.txt"), strings.Repeat("x", 9<<20))
	apptest.Refused(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "large.txt"}, connect.CodeFailedPrecondition)
}

// readUnwritable: what is said of a file that may not be written is a whole sentence, also where there is more to say.
func readUnwritable(t *testing.T, w *apptest.Window) {
	const off = "saving is off: you have no permission to write the file"
	for content, want := range map[string]string{"a\n": off, "a\r\n": off + "; CRLF line ends"} {
		file := filepath.Join(w.Root, "digits", "locked.txt")
		apptest.Write(t, file, content)
		if err := os.Chmod(file, 0o444); err != nil {
			t.Fatal(err)
		}
		got := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "locked.txt"})
		if got.Note != want || !got.ReadOnly {
			t.Errorf("%q: read-only %v, %q, want %q", content, got.ReadOnly, got.Note, want)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

func keepLineEnds(t *testing.T, w *apptest.Window) {
	file := filepath.Join(w.Root, "digits", "ends.txt")
	apptest.Write(t, file, "a\r\nb\r\n")
	before := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "ends.txt"})
	apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: "ends.txt", Text: "a\nc\n", BaseVersion: before.Version})
	if data, err := os.ReadFile(file); err != nil || string(data) != "a\r\nc\r\n" {
		t.Errorf("saved as %q, %v", data, err)
	}
	saved := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "ends.txt"})
	wrote := apptest.Call(t, w.Editor.WriteFiles, &api.WriteFilesRequest{Files: []*api.FileWrite{{Model: "digits", Path: "ends.txt", Text: "a\nd\n", BaseVersion: saved.Version}}})
	if data, err := os.ReadFile(file); err != nil || string(data) != "a\r\nd\r\n" || len(wrote.Files) != 1 {
		t.Errorf("written as %q, %v", data, err)
	}
}

func writeNewFile(t *testing.T, w *apptest.Window) {
	file := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "add_sub", Path: "notes.txt"})
	if file.Exists || file.Version != "" || file.ReadOnly {
		t.Errorf("a file that is not there reads as %v", file)
	}
	saved := apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "add_sub", Path: "notes.txt", Text: "x"})
	again := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "add_sub", Path: "notes.txt"})
	if again.Text != "x" || again.Version != saved.Version {
		t.Errorf("read back %v, saved %v", again, saved)
	}
	// A saved file is listed once the repository is scanned again.
	const want = "config.pbtxt 1/model.onnx notes.txt"
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		m := apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "add_sub"})
		names := make([]string, 0, len(m.Files))
		for _, f := range m.Files {
			names = append(names, f.Path)
		}
		if got := strings.Join(names, " "); got == want {
			return
		} else if time.Now().After(end) {
			t.Fatalf("files are %s, want %s", got, want)
		}
	}
}

func useEditor(t *testing.T, w *apptest.Window) {
	// The comment has a character of two UTF-16 units: offsets must count as the editor does.
	text := "# \U0001F41A\n" + apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "config.pbtxt"}).Text
	wrong := strings.Replace(text, "TYPE_FP32", "TYPE_FP23", 1)
	at := uint32(len(utf16.Encode([]rune(wrong[:strings.Index(wrong, "TYPE_FP23")]))))
	analysis := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "config.pbtxt", Text: wrong})
	if len(analysis.Diagnostics) == 0 || analysis.Diagnostics[0].From != at || analysis.Diagnostics[0].To != at+9 {
		t.Errorf("the mistake is at %d, said is %v", at, analysis.Diagnostics)
	}
	good := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "config.pbtxt", Text: text})
	if len(good.Diagnostics) != 0 || len(good.Hints) == 0 || !strings.Contains(good.Hints[0].Text, "[-1, 64]") {
		t.Errorf("a good text gives %v", good)
	}
	if other := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "labels.txt", Text: "}{"}); len(other.Diagnostics) != 0 {
		t.Errorf("a label file is judged: %v", other)
	}
	// The window shows the word of a fix that a person replaces.
	begun := apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "read_digit", Path: "config.pbtxt", Text: "platform: \"ensemble\"\nensemble_scheduling { }\n"})
	if len(begun.Diagnostics) == 0 || len(begun.Diagnostics[0].Fixes) == 0 {
		t.Errorf("an ensemble without steps has %v", begun.Diagnostics)
	} else if fix := begun.Diagnostics[0].Fixes[0]; fix.Unfinished == "" || !strings.Contains(fix.Edits[0].Insert, fix.Unfinished) {
		t.Errorf("what a person replaces in the first step is %q in %v", fix.Unfinished, fix.Edits)
	}
	apptest.Refused(t, w.Editor.Format, &api.FormatRequest{Text: "input {"}, connect.CodeFailedPrecondition)
	if formatted := apptest.Call(t, w.Editor.Format, &api.FormatRequest{Text: text}).Text; !strings.Contains(formatted, "# \U0001F41A") {
		t.Errorf("formatting lost the comment:\n%s", formatted)
	}
	apptest.Call(t, w.Editor.Complete, &api.CompleteRequest{Model: "digits", Path: "config.pbtxt", Text: text, Offset: at})
	apptest.Call(t, w.Editor.Hover, &api.HoverRequest{Model: "digits", Path: "config.pbtxt", Text: text, Offset: at})
	apptest.Call(t, w.Editor.Complete, &api.CompleteRequest{Model: "digits", Path: "config.pbtxt", Text: text, Offset: 1 << 30})
}

func drawGraph(t *testing.T, w *apptest.Window) {
	graph := apptest.Call(t, w.Models.GetGraph, &api.GetGraphRequest{Name: "read_digit"})
	steps := 0
	for _, n := range graph.Nodes {
		if n.Kind == api.GraphNode_KIND_STEP {
			steps++
			if n.ModelKind != "ONNX" || len(n.Inputs) == 0 || n.Problem != "" {
				t.Errorf("step is %v", n)
			}
		}
	}
	if steps != 2 || len(graph.Edges) < 3 {
		t.Errorf("graph is %v", graph)
	}
	file := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: "read_digit", Path: "config.pbtxt"})
	unknown := strings.Replace(file.Text, `model_name: "digits"`, `model_name: "digit"`, 1)
	broken := apptest.Call(t, w.Models.GetGraph, &api.GetGraphRequest{Name: "read_digit", Text: &unknown})
	problem := ""
	for _, n := range broken.Nodes {
		problem += n.Problem
	}
	if !strings.Contains(problem, "digit") {
		t.Errorf("broken graph is %v", broken)
	}
	apptest.Refused(t, w.Models.GetGraph, &api.GetGraphRequest{Name: "digits"}, connect.CodeFailedPrecondition)
}

func showEffective(t *testing.T, w *apptest.Window) {
	empty := ""
	out := apptest.Call(t, w.Models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "add_sub", Text: &empty})
	if !strings.Contains(out.Text, "INPUT0") || len(out.Filled) == 0 {
		t.Fatalf("effective config is %v", out)
	}
	lines := strings.Count(out.Text, "\n")
	for _, f := range out.Filled {
		if f.Reason == "" || f.Path == "" || f.Line == 0 || int(f.Line) > lines {
			t.Errorf("filled in: %v", f)
		}
	}
}

func createModels(t *testing.T, w *apptest.Window) {
	for _, backend := range []string{"onnxruntime", "python", "ensemble"} {
		apptest.Call(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "new_" + backend, Backend: backend})
	}
	w.Until(t, "they are there", func(s *apptest.Snapshot) bool {
		return s.Models["new_ensemble"].GetKind() == "Ensemble" && s.Models["new_python"].GetKind() == "Python" && s.Models["new_onnxruntime"].GetKind() == "ONNX"
	})
	apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "digits"}, connect.CodeAlreadyExists)
	apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: "../x"}, connect.CodeInvalidArgument)
	apptest.Refused(t, w.Models.GetModel, &api.GetModelRequest{Name: "nobody"}, connect.CodeNotFound)
}

func keepSettings(t *testing.T, w *apptest.Window) {
	apptest.Call(t, w.Workspace.SetSettings, &api.SetSettingsRequest{Values: map[string]string{"theme": `"dark"`}})
	if got := apptest.Call(t, w.Workspace.GetSettings, &api.GetSettingsRequest{}).Values["theme"]; got != `"dark"` {
		t.Errorf("theme is %s", got)
	}
	apptest.Refused(t, w.Workspace.SetSettings, &api.SetSettingsRequest{Values: map[string]string{"": "1"}}, connect.CodeInvalidArgument)
	access := "access\n" + w.Root
	apptest.Refused(t, w.Workspace.SetSettings, &api.SetSettingsRequest{Values: map[string]string{access: `{"trust":"yes"}`}}, connect.CodeInvalidArgument)
	w.Until(t, "the engine answers", func(s *apptest.Snapshot) bool { return s.Engine.GetState() == api.Engine_STATE_READY })
	apptest.Call(t, w.Models.SetReload, &api.SetReloadRequest{Name: "digits", Reload: "ask"})
	for key := range apptest.Call(t, w.Workspace.GetSettings, &api.GetSettingsRequest{}).Values {
		if strings.Contains(key, "\n") {
			t.Errorf("the window gets the setting %q", key)
		}
	}
	recent := apptest.Call(t, w.Workspace.ListRecent, &api.ListRecentRequest{}).Repositories
	if len(recent) != 1 || recent[0].Path != w.Root {
		t.Errorf("recent are %v", recent)
	}
	apptest.Refused(t, w.Try.GetHistory, &api.GetHistoryRequest{Id: 1}, connect.CodeNotFound)
	apptest.Refused(t, w.Metrics.Query, &api.QueryRequest{From: 2000, To: 1000}, connect.CodeInvalidArgument)
}

func openOthers(t *testing.T, w *apptest.Window) {
	inside := apptest.Refused(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: filepath.Join(w.Root, "digits")}, connect.CodeInvalidArgument)
	if !strings.Contains(inside, "is one model, not a repository") {
		t.Errorf("said %q", inside)
	}
	apptest.Refused(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: filepath.Join(w.Root, "gone")}, connect.CodeInvalidArgument)
	apptest.Refused(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{}, connect.CodeInvalidArgument)
	empty := t.TempDir()
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: empty})
	w.Until(t, "it is open and empty", func(s *apptest.Snapshot) bool {
		return strings.Contains(s.Repository.GetTrouble(), "is empty") && len(s.Models) == 0 && s.Engine.GetState() == api.Engine_STATE_READY
	})
	apptest.Refused(t, w.Models.GetModel, &api.GetModelRequest{Name: "digits"}, connect.CodeNotFound)
}
