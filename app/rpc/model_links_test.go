//go:build unix

package rpc_test

import (
	"os"
	"path/filepath"
	"testing"

	"conch/app/api"
	"conch/app/apptest"
)

// TestLinksAreListed: links are marked, those to nothing have a row and can be deleted, and what lies outside of the
// model's folder offers nothing that is refused.
func TestLinksAreListed(t *testing.T) {
	w := deleting(t)
	dir, other := filepath.Join(w.Root, "add_sub"), filepath.Join(filepath.Dir(w.Root), "other")
	apptest.Write(t, filepath.Join(other, "words.txt"), "words")
	apptest.Write(t, filepath.Join(dir, "own.txt"), "own")
	for name, target := range map[string]string{
		"broken.txt": "nowhere", "1/broken": "nowhere", "near.txt": "own.txt", "far.txt": filepath.Join(other, "words.txt"), "shared": other,
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	w.Until(t, "the scan has seen them", func(*apptest.Snapshot) bool {
		return listed(t, w)["shared/words.txt"] != nil && listed(t, w)["broken.txt"] != nil
	})
	files := listed(t, w)
	for path, want := range map[string]*api.ModelFile{
		"broken.txt":       {Note: "link to something that does not exist"},
		"1/broken":         {Note: "link to something that does not exist"},
		"near.txt":         {Note: "link", Text: true},
		"far.txt":          {Note: "link to a file elsewhere"},
		"shared/words.txt": {Note: "in a linked folder elsewhere", Outside: true},
		"own.txt":          {Text: true},
	} {
		if got := files[path]; got == nil || got.Note != want.Note || got.Text != want.Text || got.Outside != want.Outside {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "add_sub", Path: "1/broken"})
	isGone(t, filepath.Join(dir, "1", "broken"))
}

// TestEmptyFoldersAreListed: a folder whose last file was moved away has a row, and can be deleted.
func TestEmptyFoldersAreListed(t *testing.T) {
	w := deleting(t)
	dir := filepath.Join(w.Root, "add_sub")
	apptest.Write(t, filepath.Join(dir, "v1", "net.onnx"), "x")
	apptest.Write(t, filepath.Join(dir, "words", "of", "a.txt"), "x")
	w.Until(t, "the scan has seen the folder", func(*apptest.Snapshot) bool {
		return listed(t, w)["v1/net.onnx"] != nil && listed(t, w)["words/of/a.txt"] != nil
	})
	if files := listed(t, w); files["v1/"] != nil || files["words/"] != nil || files["1/"] != nil {
		t.Errorf("folders with files are listed themselves: %v", files)
	}
	apptest.Call(t, w.Editor.MoveFile, &api.MoveFileRequest{Model: "add_sub", Path: "v1/net.onnx", To: "2/net.onnx"})
	w.Until(t, "the folder is listed", func(*apptest.Snapshot) bool { return listed(t, w)["v1/"].GetNote() == "no files" })
	apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "add_sub", Path: "v1"})
	isGone(t, filepath.Join(dir, "v1"))
	w.Until(t, "it is not listed", func(*apptest.Snapshot) bool { return listed(t, w)["v1/"] == nil })
}

// listed has the rows of Files by their path.
func listed(t *testing.T, w *apptest.Window) map[string]*api.ModelFile {
	t.Helper()
	files := map[string]*api.ModelFile{}
	for _, f := range apptest.Call(t, w.Models.GetModel, &api.GetModelRequest{Name: "add_sub"}).Files {
		files[f.Path] = f
	}
	return files
}
