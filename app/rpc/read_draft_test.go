//go:build unix

package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
	disk "conch/repo/write"
)

// TestReadDraft tests that an unsaved text can be read when the folder of its model is gone.
func TestReadDraft(t *testing.T) {
	w := apptest.OpenExamples(t)
	snap := w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	ask := &api.ReadDraftRequest{Repository: snap.Repository.Id, Model: "digits", Path: "config.pbtxt"}
	said := apptest.Refused(t, w.Editor.ReadDraft, ask, connect.CodeNotFound)
	if !strings.Contains(said, "digits/config.pbtxt has no unsaved text") {
		t.Errorf("without an unsaved text: %s", said)
	}
	saved := apptest.Config(t, w, "digits")
	edit := &api.Edit{BaseText: saved, BaseVersion: disk.VersionOf([]byte(saved), time.Time{}).Hash}
	text := saved + "# typed and never saved\n"
	apptest.Call(t, w.Editor.Analyze, &api.AnalyzeRequest{Model: "digits", Path: "config.pbtxt", Text: text, Number: 1, Edit: edit})
	if err := os.RemoveAll(filepath.Join(w.Root, "digits")); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "the model is gone", func(s *apptest.Snapshot) bool { return s.Models["digits"] == nil })
	got := apptest.Call(t, w.Editor.ReadDraft, ask)
	if got.Draft.Text != text || got.Draft.Model != "digits" {
		t.Errorf("read %v", got.Draft)
	}
}
