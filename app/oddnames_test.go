//go:build unix

package app_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"conch/app/api"
	"conch/app/apptest"
)

// oddNames makes a repository full of names that are not UTF-8. Its own folder has such a name too.
func oddNames(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "dep\xf4t")
	if err := os.CopyFS(filepath.Join(root, "caf\xe9"), os.DirFS("../examples/repository/digits")); err != nil {
		t.Skipf("this file system takes no such names: %v", err)
	}
	config := "backend: \"onnxruntime\"\noutput [ { name: \"probabilities\" data_type: TYPE_FP32 dims: [ 10 ] label_filename: \"l\\351.txt\" } ]\n"
	apptest.Write(t, filepath.Join(root, "caf\xe9", "config.pbtxt"), config)
	for _, file := range []string{"l\xe9.txt", "notes\xff.txt", "configs/v\xe9.pbtxt", "1/deep\xe9/x\xfe.txt", "\xe9dir/a.txt", `literal\xe9.txt`} {
		apptest.Write(t, filepath.Join(root, "caf\xe9", file), "zero\none\n")
	}
	apptest.Write(t, filepath.Join(root, "named\xe9", "config.pbtxt"), "name: \"named\\351\"\nbackend: \"onnxruntime\"\n")
	model, err := os.ReadFile("../examples/repository/digits/1/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	apptest.Write(t, filepath.Join(root, "named\xe9", "1", "model.onnx"), string(model))
	apptest.Write(t, filepath.Join(root, "v\xe9", "config.pbtxt"), "backend: \"onnxruntime\"\n")
	apptest.Write(t, filepath.Join(root, "v\xe9", "2\xe9", "model.onnx"), "no model")
	apptest.Write(t, filepath.Join(root, "stray\xe9.txt"), "x")
	if err := os.Mkdir(filepath.Join(root, "empty\xe9"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"gone\xe9", "named\xe9/1/lost\xe9"} {
		if err := os.Symlink("nowhere\xe9", filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestOddNames lists, opens, edits, saves, runs and renames files and models whose names are not
// UTF-8.
func TestOddNames(t *testing.T) {
	root := oddNames(t)
	w := open(t, root)
	s := w.Until(t, "the models run", func(s *apptest.Snapshot) bool {
		return s.State(`caf\xe9`) == api.ModelState_MODEL_STATE_READY && s.State(`named\xe9`) == api.ModelState_MODEL_STATE_READY
	})
	if got := s.Repository.Roots[0]; !strings.HasSuffix(got, `dep\xf4t`) || len(s.Repository.Strays) != 3 {
		t.Errorf("repository = %v", s.Repository)
	}
	if m := s.Models[`named\xe9`]; m.Errors > 0 {
		t.Errorf("a config that says the name in octal digits: %v", apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{Model: m.Name}))
	}
	about := apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: `caf\xe9`})
	var listed []string
	for _, f := range about.Files {
		listed = append(listed, f.Path)
	}
	for _, path := range []string{`l\xe9.txt`, `notes\xff.txt`, `configs/v\xe9.pbtxt`, `1/deep\xe9/x\xfe.txt`, `\xe9dir/a.txt`, `literal\x5cxe9.txt`} {
		if !slices.Contains(listed, path) {
			t.Errorf("%s is not listed among %q", path, listed)
		}
		editOdd(t, w, path)
	}
	if labels := about.Outputs[0].Labels; len(labels) != 2 || labels[1] != "one" {
		t.Errorf("labels = %q", labels)
	}
	apptest.Call(t, w.Workspace.ListProblems, &api.ListProblemsRequest{})
	apptest.Call(t, w.Workspace.ListLog, &api.ListLogRequest{})
	apptest.Call(t, w.Workspace.ListRecent, &api.ListRecentRequest{})
	apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: `v\xe9`})
	askOverHTTP(t, s.Engine.HttpAddress)
	renameOdd(t, w)
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: s.Repository.Roots[0]})
}

// editOdd changes a file and checks that this file has changed.
func editOdd(t *testing.T, w *window, path string) {
	t.Helper()
	got := apptest.Call(t, w.Editor.ReadFile, &api.ReadFileRequest{Model: `caf\xe9`, Path: path})
	if !got.Exists || got.Text != "zero\none\n" {
		t.Errorf("%s: %v", path, got)
	}
	apptest.Call(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: `caf\xe9`, Path: path, Text: "# " + path, BaseVersion: got.Version})
	raw := strings.NewReplacer(`\x5c`, `\`, `\xe9`, "\xe9", `\xff`, "\xff", `\xfe`, "\xfe").Replace(path)
	file := filepath.Join(w.Root, "caf\xe9", raw)
	if text, err := os.ReadFile(file); err != nil || string(text) != "# "+path {
		t.Errorf("%q holds %q, %v", file, text, err)
	}
	apptest.Write(t, file, "zero\none\n")
}

// askOverHTTP sends requests to the engine as a client does, with each way to write the name.
func askOverHTTP(t *testing.T, address string) {
	t.Helper()
	post, err := http.Post("http://"+address+"/v2/repository/index", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	index, _ := io.ReadAll(post.Body)
	_ = post.Body.Close()
	if !utf8.Valid(index) || !strings.Contains(string(index), `"caf\\xe9"`) {
		t.Errorf("index = %q", index)
	}
	for _, name := range []string{"caf%E9", "caf%5Cxe9", "named%e9"} {
		for _, what := range []string{"", "/config", "/ready", "/stats"} {
			got, err := http.Get(fmt.Sprintf("http://%s/v2/models/%s%s", address, name, what))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(got.Body)
			_ = got.Body.Close()
			if got.StatusCode != http.StatusOK || !utf8.Valid(body) {
				t.Errorf("%s%s: %d %q", name, what, got.StatusCode, body)
			}
		}
	}
}

func renameOdd(t *testing.T, w *window) {
	t.Helper()
	plan := apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: `named\xe9`, WholeModel: true, Name: "plain"})
	asked := &api.RenameModelRequest{Model: `named\xe9`, Name: "plain"}
	for _, f := range plan.Files {
		asked.Files = append(asked.Files, &api.FileWrite{Model: f.Model, Path: f.Path, Text: f.Text, BaseVersion: f.Version})
	}
	if got := apptest.Call(t, w.Editor.RenameModel, asked); len(got.Changed) > 0 || len(plan.Files) != 1 {
		t.Errorf("plan %v, renamed %v", plan, got)
	}
	w.Until(t, "it is listed by its new name", func(s *apptest.Snapshot) bool { return s.Models["plain"] != nil && s.Models[`named\xe9`] == nil })
	if text, err := os.ReadFile(filepath.Join(w.Root, "plain", "config.pbtxt")); err != nil || !strings.HasPrefix(string(text), "name: \"plain\"\n") {
		t.Errorf("%s, %v", text, err)
	}
}
