//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"connectrpc.com/connect"

	"conch/app/api"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	w := openExamples(t)
	w.until(t, "the models are listed", func(s *snapshot) bool { return len(s.models) == 4 })
	t.Run("outside", func(t *testing.T) { readOutside(t, w) })
	t.Run("odd texts", func(t *testing.T) { readOddTexts(t, w) })
	t.Run("line ends", func(t *testing.T) { keepLineEnds(t, w) })
	t.Run("new file", func(t *testing.T) { writeNewFile(t, w) })
	t.Run("editor", func(t *testing.T) { useEditor(t, w) })
	t.Run("graph", func(t *testing.T) { drawGraph(t, w) })
	t.Run("effective", func(t *testing.T) { showEffective(t, w) })
	t.Run("create", func(t *testing.T) { createModels(t, w) })
	t.Run("settings", func(t *testing.T) { keepSettings(t, w) })
	t.Run("other folders", func(t *testing.T) { openOthers(t, w) })
}

func readOutside(t *testing.T, w *window) {
	secret := filepath.Join(filepath.Dir(w.root), "secret.txt")
	write(t, secret, "secret")
	if err := os.Symlink(secret, filepath.Join(w.root, "digits", "link.txt")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../add_sub/config.pbtxt", "../../secret.txt", secret, "link.txt", "1/../../../secret.txt", "/etc/passwd", "a\x00b"} {
		refused(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: path}, connect.CodePermissionDenied)
		refused(t, w.editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: path, Text: "x", Overwrite: true}, connect.CodePermissionDenied)
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("the file outside now holds %q, %v", data, err)
	}
	refused(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "..", Path: "secret.txt"}, connect.CodeNotFound)
	refused(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: ""}, connect.CodeInvalidArgument)
	refused(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "1"}, connect.CodeInvalidArgument)
	refused(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "1/model.onnx"}, connect.CodeFailedPrecondition)
}

func readOddTexts(t *testing.T, w *window) {
	dir := filepath.Join(w.root, "digits")
	for name, test := range map[string]struct {
		content  string
		text     string
		note     string
		readOnly bool
	}{
		"bom.txt":    {"\uFEFFa\n", "\uFEFFa\n", "begins with a byte order mark", false},
		"crlf.txt":   {"a\r\nb\r\n", "a\r\nb\r\n", "CRLF line ends", false},
		"mixed.txt":  {"a\r\nb\n", "a\r\nb\n", "mixed line ends: saving makes them all LF", false},
		"latin.txt":  {"caf\xe9", "caf\uFFFD", "not UTF-8: shown with replacements, saving is off", true},
		"nul.txt":    {"a\x00b", "a\u2400b", "has NUL bytes: shown as ␀, saving is off", true},
		"plain.txt":  {"a", "a", "", false},
		"empty.json": {"", "", "", false},
	} {
		write(t, filepath.Join(dir, name), test.content)
		got := call(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: name})
		if got.Text != test.text || got.Note != test.note || got.ReadOnly != test.readOnly || !got.Exists {
			t.Errorf("%s: %v", name, got)
		}
	}
	write(t, filepath.Join(dir, "large.txt"), strings.Repeat("x", 9<<20))
	refused(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "large.txt"}, connect.CodeFailedPrecondition)
}

func keepLineEnds(t *testing.T, w *window) {
	file := filepath.Join(w.root, "digits", "ends.txt")
	write(t, file, "a\r\nb\r\n")
	before := call(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "ends.txt"})
	call(t, w.editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: "ends.txt", Text: "a\nc\n", BaseVersion: before.Version})
	if data, err := os.ReadFile(file); err != nil || string(data) != "a\r\nc\r\n" {
		t.Errorf("saved as %q, %v", data, err)
	}
}

func writeNewFile(t *testing.T, w *window) {
	file := call(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "add_sub", Path: "notes.txt"})
	if file.Exists || file.Version != "" || file.ReadOnly {
		t.Errorf("a file that is not there reads as %v", file)
	}
	saved := call(t, w.editor.SaveFile, &api.SaveFileRequest{Model: "add_sub", Path: "notes.txt", Text: "x"})
	again := call(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "add_sub", Path: "notes.txt"})
	if again.Text != "x" || again.Version != saved.Version {
		t.Errorf("read back %v, saved %v", again, saved)
	}
	// A saved file is listed once the repository is scanned again.
	const want = "config.pbtxt 1/model.onnx notes.txt"
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		m := call(t, w.models.GetModel, &api.GetModelRequest{Name: "add_sub"})
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

func useEditor(t *testing.T, w *window) {
	// The comment has a character of two UTF-16 units: offsets must count as the editor does.
	text := "# \U0001F41A\n" + call(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "digits", Path: "config.pbtxt"}).Text
	wrong := strings.Replace(text, "TYPE_FP32", "TYPE_FP23", 1)
	at := uint32(len(utf16.Encode([]rune(wrong[:strings.Index(wrong, "TYPE_FP23")]))))
	analysis := call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "config.pbtxt", Text: wrong})
	if len(analysis.Diagnostics) == 0 || analysis.Diagnostics[0].From != at || analysis.Diagnostics[0].To != at+9 {
		t.Errorf("the mistake is at %d, said is %v", at, analysis.Diagnostics)
	}
	good := call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "config.pbtxt", Text: text})
	if len(good.Diagnostics) != 0 || len(good.Hints) == 0 || !strings.Contains(good.Hints[0].Text, "[-1, 64]") {
		t.Errorf("a good text gives %v", good)
	}
	if other := call(t, w.editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "labels.txt", Text: "}{"}); len(other.Diagnostics) != 0 {
		t.Errorf("a label file is judged: %v", other)
	}
	refused(t, w.editor.Format, &api.FormatRequest{Text: "input {"}, connect.CodeFailedPrecondition)
	if formatted := call(t, w.editor.Format, &api.FormatRequest{Text: text}).Text; !strings.Contains(formatted, "# \U0001F41A") {
		t.Errorf("formatting lost the comment:\n%s", formatted)
	}
	call(t, w.editor.Complete, &api.CompleteRequest{Model: "digits", Path: "config.pbtxt", Text: text, Offset: at})
	call(t, w.editor.Hover, &api.HoverRequest{Model: "digits", Path: "config.pbtxt", Text: text, Offset: at})
	call(t, w.editor.Complete, &api.CompleteRequest{Model: "digits", Path: "config.pbtxt", Text: text, Offset: 1 << 30})
}

func drawGraph(t *testing.T, w *window) {
	graph := call(t, w.models.GetEnsembleGraph, &api.GetEnsembleGraphRequest{Name: "read_digit"})
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
	file := call(t, w.editor.ReadFile, &api.ReadFileRequest{Model: "read_digit", Path: "config.pbtxt"})
	unknown := strings.Replace(file.Text, `model_name: "digits"`, `model_name: "digit"`, 1)
	broken := call(t, w.models.GetEnsembleGraph, &api.GetEnsembleGraphRequest{Name: "read_digit", Text: &unknown})
	problem := ""
	for _, n := range broken.Nodes {
		problem += n.Problem
	}
	if !strings.Contains(problem, "digit") {
		t.Errorf("broken graph is %v", broken)
	}
	refused(t, w.models.GetEnsembleGraph, &api.GetEnsembleGraphRequest{Name: "digits"}, connect.CodeFailedPrecondition)
}

func showEffective(t *testing.T, w *window) {
	empty := ""
	out := call(t, w.models.GetEffectiveConfig, &api.GetEffectiveConfigRequest{Name: "add_sub", Text: &empty})
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

func createModels(t *testing.T, w *window) {
	for _, backend := range []string{"onnxruntime", "python", "ensemble"} {
		call(t, w.models.CreateModel, &api.CreateModelRequest{Name: "new_" + backend, Backend: backend})
	}
	w.until(t, "they are there", func(s *snapshot) bool {
		return s.models["new_ensemble"].GetKind() == "Ensemble" && s.models["new_python"].GetKind() == "Python" && s.models["new_onnxruntime"].GetKind() == "ONNX"
	})
	refused(t, w.models.CreateModel, &api.CreateModelRequest{Name: "digits"}, connect.CodeAlreadyExists)
	refused(t, w.models.CreateModel, &api.CreateModelRequest{Name: "../x"}, connect.CodeInvalidArgument)
	refused(t, w.models.GetModel, &api.GetModelRequest{Name: "nobody"}, connect.CodeNotFound)
}

func keepSettings(t *testing.T, w *window) {
	call(t, w.workspace.SetSettings, &api.SetSettingsRequest{Values: map[string]string{"theme": `"dark"`}})
	if got := call(t, w.workspace.GetSettings, &api.GetSettingsRequest{}).Values["theme"]; got != `"dark"` {
		t.Errorf("theme is %s", got)
	}
	refused(t, w.workspace.SetSettings, &api.SetSettingsRequest{Values: map[string]string{"": "1"}}, connect.CodeInvalidArgument)
	recent := call(t, w.workspace.ListRecent, &api.ListRecentRequest{}).Repositories
	if len(recent) != 1 || recent[0].Path != w.root {
		t.Errorf("recent are %v", recent)
	}
	refused(t, w.try.GetHistory, &api.GetHistoryRequest{Id: 1}, connect.CodeNotFound)
	refused(t, w.metrics.Query, &api.QueryRequest{From: 2000, To: 1000}, connect.CodeInvalidArgument)
}

func openOthers(t *testing.T, w *window) {
	inside := refused(t, w.workspace.OpenRepository, &api.OpenRepositoryRequest{Path: filepath.Join(w.root, "digits")}, connect.CodeInvalidArgument)
	if !strings.Contains(inside, "is one model, not a repository") {
		t.Errorf("said %q", inside)
	}
	refused(t, w.workspace.OpenRepository, &api.OpenRepositoryRequest{Path: filepath.Join(w.root, "gone")}, connect.CodeInvalidArgument)
	refused(t, w.workspace.OpenRepository, &api.OpenRepositoryRequest{}, connect.CodeInvalidArgument)
	empty := t.TempDir()
	call(t, w.workspace.OpenRepository, &api.OpenRepositoryRequest{Path: empty})
	w.until(t, "it is open and empty", func(s *snapshot) bool {
		return strings.Contains(s.repository.GetTrouble(), "is empty") && len(s.models) == 0 && s.engine.GetState() == api.Engine_STATE_READY
	})
	refused(t, w.models.GetModel, &api.GetModelRequest{Name: "digits"}, connect.CodeNotFound)
}
