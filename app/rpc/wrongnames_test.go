//go:build unix

package rpc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// TestWrongNames: an impossible or misleading name, and a file that is a folder, are the caller's
// mistakes. The error has the reason.
func TestWrongNames(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "the models are there", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	long := strings.Repeat("n", 300)
	for name, want := range map[string]string{long: "the name is too long", "a\u202egnp": "not seen", "a\u2066b": "not seen"} {
		if said := apptest.Refused(t, w.Models.CreateModel, &api.CreateModelRequest{Name: name}, connect.CodeInvalidArgument); !strings.Contains(said, want) {
			t.Errorf("new model %.20q: %.200s", name, said)
		}
		plan := apptest.Call(t, w.Editor.PlanRename, &api.PlanRenameRequest{Model: "digits", WholeModel: true, Name: name})
		if plan.Problem == "" {
			t.Errorf("a rename to %.20q is planned", name)
		}
		if said := apptest.Refused(t, w.Editor.RenameModel, &api.RenameModelRequest{Model: "digits", Name: name}, connect.CodeInvalidArgument); !strings.Contains(said, want) {
			t.Errorf("rename to %.20q: %.200s", name, said)
		}
	}
	if err := os.Mkdir(filepath.Join(w.Root, "digits", "notes.txt"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]connect.Code{
		"notes.txt":          connect.CodeFailedPrecondition,
		"config.pbtxt/a.txt": connect.CodeFailedPrecondition,
		long + ".txt":        connect.CodeInvalidArgument,
	} {
		apptest.Refused(t, w.Editor.SaveFile, &api.SaveFileRequest{Model: "digits", Path: path, Text: "x"}, code)
	}
}
