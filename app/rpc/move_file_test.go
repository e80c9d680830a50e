//go:build unix

package rpc_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// TestMoveFile: a file gets another path with its unsaved text, and the model serves from there.
func TestMoveFile(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "the models serve", serve("digits", "add_sub"))
	file := func(path string) *api.ReadFileRequest { return &api.ReadFileRequest{Model: "digits", Path: path} }
	before := apptest.Call(t, w.Editor.ReadFile, file("labels.txt"))
	typed := "typed and not saved\n"
	apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "labels.txt", Text: typed, Number: 1, Edit: &api.Edit{
		BaseText: before.Text, BaseVersion: before.Version,
	}})
	move := func(from, to string) *api.MoveFileRequest {
		return &api.MoveFileRequest{Model: "digits", Path: from, To: to}
	}
	apptest.Refused(t, w.Editor.MoveFile, move("labels.txt", "1/model.onnx"), connect.CodeAlreadyExists)
	apptest.Refused(t, w.Editor.MoveFile, move("config.pbtxt", "labels.txt"), connect.CodeAlreadyExists)
	apptest.Refused(t, w.Editor.MoveFile, move("1", "1/2"), connect.CodeInvalidArgument)
	if made := apptest.Call(t, w.Editor.MoveFile, move("labels.txt", "words/of/names.txt")).Made; made != "words" {
		t.Errorf("the first folder that was made for it is %q", made)
	}
	if made := apptest.Call(t, w.Editor.MoveFile, move("words/of", "names/of")).Made; made != "names" {
		t.Errorf("the first folder that was made for a folder is %q", made)
	}
	if made := apptest.Call(t, w.Editor.MoveFile, move("names/of/names.txt", "words/names.txt")).Made; made != "" {
		t.Errorf("%q was there", made)
	}
	isGone(t, filepath.Join(w.Root, "digits", "labels.txt"))
	now := apptest.Call(t, w.Editor.ReadFile, file("words/names.txt"))
	if now.Text != before.Text || now.Draft.GetText() != typed {
		t.Errorf("it is %v", now)
	}
	s := w.Until(t, "its text is listed at its new path", func(s *apptest.Snapshot) bool { return len(s.Drafts) == 1 && s.Drafts[0].Path == "words/names.txt" })
	if s.Drafts[0].Missing {
		t.Errorf("it is %v", s.Drafts[0])
	}
	// A name that a file had may be taken again by an unsaved text alone.
	apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "new.txt", Text: typed, Number: 2, Edit: &api.Edit{}})
	apptest.Refused(t, w.Editor.MoveFile, move("words/names.txt", "new.txt"), connect.CodeAlreadyExists)
	add := filepath.Join(w.Root, "add_sub", "2", "net.onnx")
	apptest.Write(t, add, string(apptest.ReadFile(t, filepath.Join(w.Root, "add_sub", "1", "model.onnx"))))
	apptest.Call(t, w.Editor.MoveFile, &api.MoveFileRequest{Model: "add_sub", Path: "2/net.onnx", To: "2/model.onnx"})
	w.Until(t, "version 2 serves", func(s *apptest.Snapshot) bool {
		got := served(s.Models["add_sub"])
		return len(got) == 1 && got[0] == 2
	})
}

// TestMadeFolders: who made a file or a folder is told which folders were made for it, so that this can be undone.
func TestMadeFolders(t *testing.T) {
	w := apptest.OpenExamples(t)
	file := func(path string) string {
		return apptest.Call(t, w.Editor.CreateFile, &api.CreateFileRequest{Model: "digits", Path: path, Text: "a"}).Made
	}
	folder := func(path string) string {
		return apptest.Call(t, w.Editor.CreateFolder, &api.CreateFolderRequest{Model: "digits", Path: path}).Made
	}
	if made := []string{file("a/b/c.txt"), file("a/d.txt"), file("e.txt"), folder("2"), folder("f/g"), folder("f/h")}; !slices.Equal(made, []string{"a", "", "", "2", "f", "f/h"}) {
		t.Errorf("made %q", made)
	}
}

// TestMoveStaysInside: no file leaves the model's folder, and none comes into it.
func TestMoveStaysInside(t *testing.T) {
	w := apptest.OpenExamples(t)
	secret := filepath.Join(filepath.Dir(w.Root), "secret", "secret.txt")
	apptest.Write(t, secret, "secret")
	if err := os.Symlink(filepath.Dir(secret), filepath.Join(w.Root, "digits", "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../add_sub/config.pbtxt", secret, "1/../../secret", "link/secret.txt"} {
		apptest.Refused(t, w.Editor.MoveFile, &api.MoveFileRequest{Model: "digits", Path: path, To: "in.txt"}, connect.CodePermissionDenied)
	}
	for path, code := range map[string]connect.Code{
		"../add_sub/labels.txt": connect.CodeInvalidArgument, secret: connect.CodeInvalidArgument, "link/labels.txt": connect.CodePermissionDenied,
		"": connect.CodeInvalidArgument, "1/": connect.CodeInvalidArgument, ".git/labels.txt": connect.CodeInvalidArgument,
	} {
		apptest.Refused(t, w.Editor.MoveFile, &api.MoveFileRequest{Model: "digits", Path: "labels.txt", To: path}, code)
	}
	apptest.ReadFile(t, filepath.Join(w.Root, "digits", "labels.txt"))
	if left, err := os.ReadDir(filepath.Dir(secret)); err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}
	apptest.Refused(t, w.Editor.MoveFile, &api.MoveFileRequest{Model: "digits", Path: "", To: "x"}, connect.CodeInvalidArgument)
}
