//go:build unix

package rpc_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/api/apiconnect"
	"conch/app/enginehost"
	"conch/app/recovery"
	"conch/app/rpc"
	"conch/app/store"
	"conch/app/workspace"
)

// two makes two repositories with the same model, and a workbench without an engine.
func two(t *testing.T) (w *workspace.Workspace, editor apiconnect.EditorServiceClient, roots [2]string) {
	t.Helper()
	for i := range roots {
		roots[i] = t.TempDir()
		put(t, roots[i], "digits", fmt.Sprintf("# of repository %d\n", i))
	}
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	files := recovery.Open(recovery.Options{Dir: t.TempDir()})
	t.Cleanup(files.Close)
	w = workspace.New(workspace.Options{Store: s, Recovery: files, Log: slog.New(slog.DiscardHandler), StartEngine: func([]string, func(enginehost.Update)) (workspace.Engine, error) {
		return nil, errors.New("no engine")
	}})
	server := httptest.NewServer((&rpc.Server{Workspace: w, Store: s, Log: slog.New(slog.DiscardHandler), Now: time.Now}).Handler())
	t.Cleanup(func() {
		server.Close()
		if err := errors.Join(w.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return w, apiconnect.NewEditorServiceClient(http.DefaultClient, server.URL), roots
}

func put(t *testing.T, root, model, text string) {
	t.Helper()
	dir := filepath.Join(root, model)
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "1"), 0o755), os.WriteFile(filepath.Join(dir, "config.pbtxt"), []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, root, model string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, model, "config.pbtxt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSwitchDuringWrites: another repository is opened while a file is saved, files are written
// together, and a model is renamed. Either the change is complete in its own repository, and what was
// saved is not a draft there, or nothing is done. Nothing is done in the other repository.
func TestSwitchDuringWrites(t *testing.T) {
	w, editor, roots := two(t)
	open := func(i int) error { return w.Open(t.Context(), roots[i:i+1]) }
	if err := open(0); err != nil {
		t.Fatal(err)
	}
	id := w.Repository().Id
	model, text, refused := "digits", read(t, roots[0], "digits"), 0
	for i := range 24 {
		next := fmt.Sprintf("# save %d\n", i)
		if _, err := editor.Analyze(t.Context(), connect.NewRequest(&api.AnalyzeRequest{
			Model: model, Path: "config.pbtxt", Text: next, Edit: &api.Edit{Repository: id, BaseText: text, Since: draft(w, model)},
		})); err != nil {
			t.Fatal(err)
		}
		found, err := editor.ReadFile(t.Context(), connect.NewRequest(&api.ReadFileRequest{Repository: id, Model: model, Path: "config.pbtxt"}))
		if err != nil {
			t.Fatal(err)
		}
		opened := make(chan error, 1)
		go func() {
			for range i % 8 { // the switch comes at another step each time
				_, _ = editor.Format(t.Context(), connect.NewRequest(&api.FormatRequest{}))
			}
			opened <- open(1)
		}()
		file := &api.FileWrite{Model: model, Path: "config.pbtxt", Text: next, BaseVersion: found.Msg.Version, DraftVersion: found.Msg.Draft.GetVersion()}
		renamed, err := change(t, editor, i, id, file)
		if err := <-opened; err != nil {
			t.Fatal(err)
		}
		if d := draft(w, "digits") + draft(w, "numbers"); d != 0 {
			t.Fatalf("change %d: the other repository has a draft", i)
		}
		if err != nil {
			refused++
		} else {
			model, text = renamed, next
		}
		if got := read(t, roots[0], model); got != text {
			t.Fatalf("change %d, %v: the file says %q, want %q", i, err, got, text)
		}
		if err := open(0); err != nil {
			t.Fatal(err)
		}
		if left := draft(w, model) != 0; left != (err != nil) {
			t.Fatalf("change %d, %v: a draft is left: %v", i, err, left)
		}
	}
	t.Logf("%d of 24 changes were refused", refused)
	if got := read(t, roots[1], "digits"); got != "# of repository 1\n" {
		t.Errorf("the other repository's file says %q", got)
	}
	if entries, _ := os.ReadDir(roots[1]); len(entries) != 1 {
		t.Errorf("in the other repository is %v", entries)
	}
}

// change makes one of the three changes to a file, and returns the model's name after it.
func change(t *testing.T, editor apiconnect.EditorServiceClient, kind int, id string, file *api.FileWrite) (model string, err error) {
	t.Helper()
	model = file.Model
	switch kind % 3 {
	case 0:
		_, err = editor.SaveFile(t.Context(), connect.NewRequest(&api.SaveFileRequest{
			Repository: id, Model: model, Path: file.Path, Text: file.Text, BaseVersion: file.BaseVersion, Since: file.DraftVersion,
		}))
	case 1:
		_, err = editor.WriteFiles(t.Context(), connect.NewRequest(&api.WriteFilesRequest{Repository: id, Files: []*api.FileWrite{file}}))
	case 2:
		model = map[string]string{"digits": "numbers", "numbers": "digits"}[model]
		_, err = editor.RenameModel(t.Context(), connect.NewRequest(&api.RenameModelRequest{
			Repository: id, Model: file.Model, Name: model, Files: []*api.FileWrite{file},
		}))
	}
	return model, err
}

// draft returns the version of a config's draft in the open repository; 0 where there is none.
func draft(w *workspace.Workspace, model string) uint64 {
	d, _ := w.Draft(workspace.File{Model: model, Path: "config.pbtxt"})
	return d.Version
}
