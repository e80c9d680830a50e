//go:build unix

package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// first returns the first update that a page gets.
func (w *window) first(t *testing.T) *api.WorkspaceUpdate {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stream, err := w.Workspace.Watch(ctx, connect.NewRequest(&api.WatchRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	if !stream.Receive() {
		t.Fatal(stream.Err())
	}
	return stream.Msg()
}

func TestNothingOpen(t *testing.T) {
	apptest.UsePython(t)
	w := openWith(t, app.Options{Last: true, Examples: os.DirFS("../examples/repository")})
	// For a page 0 means that it has no update yet, and it waits.
	if u := w.first(t); u.Seq == 0 || !u.Reset_ || len(u.Repository.Roots) != 0 || !strings.Contains(u.Repository.Trouble, "No repository is open") {
		t.Errorf("the page hears %v", u)
	}
	apptest.Call(t, w.Workspace.OpenExamples, &api.OpenExamplesRequest{})
	s := w.Until(t, "the examples are served", apptest.AllReady)
	if len(s.Models) != 5 || !strings.HasSuffix(s.Repository.Roots[0], "/examples") {
		t.Errorf("opened %v", s.Repository)
	}
	// The copy is the user's: a change is still there when the examples are opened again.
	config := filepath.Join(s.Repository.Roots[0], "add_sub", "config.pbtxt")
	if err := os.WriteFile(config, []byte("# mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, w.Workspace.OpenExamples, &api.OpenExamplesRequest{})
	if text, err := os.ReadFile(config); string(text) != "# mine\n" {
		t.Errorf("the changed example reads %q, %v", text, err)
	}
}

func TestOpensWhatWasOpenLast(t *testing.T) {
	data, root := t.TempDir(), apptest.CopyExamples(t)
	w := openWith(t, app.Options{DataDir: data, Repositories: []string{root}})
	apptest.Call(t, w.Workspace.KeepPlace, &api.KeepPlaceRequest{Roots: []string{root}, Place: `{"model":"digits"}`})
	apptest.Call(t, w.Workspace.KeepPlace, &api.KeepPlaceRequest{Roots: []string{"/another"}, Place: `{"model":"wrong"}`})
	w.Close()
	w = openWith(t, app.Options{DataDir: data, Last: true})
	if got := apptest.Call(t, w.Workspace.GetPlace, &api.GetPlaceRequest{}); !slices.Equal(got.Roots, []string{root}) || got.Place != `{"model":"digits"}` {
		t.Errorf("came back to %v", got)
	}
	w.Close()
	if err := os.Rename(root, root+"-moved"); err != nil {
		t.Fatal(err)
	}
	w = openWith(t, app.Options{DataDir: data, Last: true})
	u := w.first(t)
	if len(u.Repository.Roots) != 0 || !strings.Contains(u.Repository.Trouble, root+" does not exist") {
		t.Errorf("a repository that is gone: %v", u)
	}
}

func TestModelsOwnFolder(t *testing.T) {
	root := apptest.CopyExamples(t)
	w := open(t, filepath.Join(root, "digits"))
	if r := w.first(t).Repository; r.Suggestion != root || !strings.Contains(r.Trouble, "is one model") {
		t.Errorf("a model's own folder: %v", r)
	}
	if list := apptest.Call(t, w.Workspace.ListRecent, &api.ListRecentRequest{}).Repositories; len(list) != 0 {
		t.Errorf("it is remembered as a repository: %v", list)
	}
	_, err := w.Workspace.OpenRepository(t.Context(), connect.NewRequest(&api.OpenRepositoryRequest{Path: filepath.Join(root, "digits", "1")}))
	var refused *connect.Error
	if !errors.As(err, &refused) || len(refused.Details()) != 1 {
		t.Fatalf("refused with %v", err)
	}
	if detail, err := refused.Details()[0].Value(); err != nil || detail.(*api.OpenInstead).Path != root {
		t.Errorf("the way out is %v, %v", detail, err)
	}
	apptest.Call(t, w.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: root})
	if r := w.first(t).Repository; r.Suggestion != "" || r.Trouble != "" {
		t.Errorf("the repository: %v", r)
	}
}

func TestListFolders(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "models")
	if err := os.CopyFS(root, os.DirFS("../examples/repository")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"other", ".hidden", "moved"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "m.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w := openWith(t, app.Options{})
	for typed, want := range map[string]string{
		dir + "/": "models* moved other", dir + "/m": "models* moved", dir + "/.": ".hidden", dir + "/none/x": "", "relative/": "",
	} {
		var found []string
		for _, f := range apptest.Call(t, w.Workspace.ListFolders, &api.ListFoldersRequest{Path: typed}).Folders {
			name := f.Name
			if f.Repository {
				name += "*"
			}
			found = append(found, name)
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%q goes on with %q, want %q", typed, got, want)
		}
	}
}
