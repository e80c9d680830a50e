//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
)

// TestWrongNames: an impossible or misleading name, and a file that is a folder, are the caller's
// mistakes. The error has the reason.
func TestWrongNames(t *testing.T) {
	w := openExamples(t)
	w.until(t, "the models are there", func(s *snapshot) bool { return len(s.models) == 4 })
	long := strings.Repeat("n", 300)
	for name, want := range map[string]string{long: "the name is too long", "a\u202egnp": "not seen", "a\u2066b": "not seen"} {
		if said := refused(t, w.models.CreateModel, &api.CreateModelRequest{Name: name}, connect.CodeInvalidArgument); !strings.Contains(said, want) {
			t.Errorf("new model %.20q: %.200s", name, said)
		}
		plan := call(t, w.editor.PlanRename, &api.PlanRenameRequest{Model: "digits", WholeModel: true, Name: name})
		if plan.Problem == "" {
			t.Errorf("a rename to %.20q is planned", name)
		}
		if said := refused(t, w.editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: name}, connect.CodeInvalidArgument); !strings.Contains(said, want) {
			t.Errorf("rename to %.20q: %.200s", name, said)
		}
	}
	if err := os.Mkdir(filepath.Join(w.root, "digits", "notes.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]connect.Code{
		"notes.txt":          connect.CodeFailedPrecondition,
		"config.pbtxt/a.txt": connect.CodeFailedPrecondition,
		long + ".txt":        connect.CodeInvalidArgument,
	} {
		for _, overwrite := range []bool{false, true} {
			refused(t, w.editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: path, Text: "x", Overwrite: overwrite}, code)
		}
	}
}
