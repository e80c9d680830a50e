//go:build unix

package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// TestMovedAgain: a model file that is outside the version folders is moved into one, back as Undo does it, and there again. The model is
// loaded both times. A config can be written from it where it is.
func TestMovedAgain(t *testing.T) {
	root := apptest.CopyExamples(t)
	file := apptest.ReadFile(t, filepath.Join(root, "add_sub", "1", "model.onnx"))
	apptest.Write(t, filepath.Join(root, "outside", "model.onnx"), string(file))
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.Until(t, "the model was tried", func(s *apptest.Snapshot) bool { return s.State("outside") == api.ModelState_MODEL_STATE_FAILED })
	if text := apptest.Call(t, w.Editor.DraftConfig, &api.DraftConfigRequest{Model: "outside"}).Text; !strings.Contains(text, "INPUT0") {
		t.Errorf("the config from its file is\n%s", text)
	}
	for range 2 {
		apptest.Call(t, w.Editor.MoveFile, &api.MoveFileRequest{Model: "outside", Path: "model.onnx", To: "1/model.onnx"})
		w.Until(t, "it is loaded", func(s *apptest.Snapshot) bool { return s.State("outside") == api.ModelState_MODEL_STATE_READY })
		apptest.Call(t, w.Editor.MoveFile, &api.MoveFileRequest{Model: "outside", Path: "1/model.onnx", To: "model.onnx"})
		apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "outside", Path: "1"})
		w.Until(t, "it is not loaded", func(s *apptest.Snapshot) bool { return s.State("outside") == api.ModelState_MODEL_STATE_UNLOADED })
	}
}
