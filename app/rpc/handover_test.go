//go:build unix

package rpc_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app/api"
	"conch/app/apptest"
)

// TestHandover: the page sees first what would not run, then the files, and writes them to a folder; an edit stays.
func TestHandover(t *testing.T) {
	w := apptest.OpenExamples(t)
	w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) == 4 })
	old := &api.ExportChoice{Target: "compose", Release: "24.10"}
	made := apptest.Call(t, w.Handover.PrepareExport, &api.PrepareExportRequest{Choice: old})
	if len(made.Problems) == 0 || made.Problems[0].Model != "digits_prepare" || !slices.Contains(made.Releases, "24.10") || len(made.Files) != 1 {
		t.Errorf("%v", made)
	}
	dir := filepath.Join(t.TempDir(), "deploy")
	apptest.Refused(t, w.Handover.WriteExport, &api.WriteExportRequest{Choice: old, Folder: dir}, connect.CodeFailedPrecondition)
	fits := &api.ExportChoice{Target: "compose", Release: "24.12"}
	done := apptest.Call(t, w.Handover.WriteExport, &api.WriteExportRequest{Choice: fits, Folder: dir})
	if !slices.Equal(done.Written, []string{"compose.yaml"}) || !strings.Contains(apptest.ReadFile(t, filepath.Join(dir, "compose.yaml")), "tritonserver:24.12-py3") {
		t.Errorf("%v", done)
	}
	file := filepath.Join(dir, "compose.yaml")
	apptest.Write(t, file, strings.Replace(apptest.ReadFile(t, file), "24.12-py3", "24.12-mine", 1))
	done = apptest.Call(t, w.Handover.WriteExport, &api.WriteExportRequest{Choice: &api.ExportChoice{Target: "compose"}, Folder: dir})
	if len(done.Conflicts) != 1 || !strings.Contains(done.Conflicts[0].Kept, "24.12-mine") || !slices.Equal(done.Kept, []string{"compose.yaml"}) {
		t.Errorf("%v", done)
	}
	for _, wrong := range []*api.WriteExportRequest{
		{Choice: fits, Folder: "deploy"}, {Choice: fits, Folder: ""}, {Choice: &api.ExportChoice{Target: "nomad"}, Folder: dir},
		{Choice: &api.ExportChoice{Target: "compose", Release: "1.0"}, Folder: dir}, {Choice: &api.ExportChoice{Target: "kubernetes"}, Folder: dir}, {Folder: dir},
	} {
		apptest.Refused(t, w.Handover.WriteExport, wrong, connect.CodeInvalidArgument)
	}
	apptest.Refused(t, w.Handover.WriteExport, &api.WriteExportRequest{Choice: fits, Folder: filepath.Join(w.Root, "deploy")}, connect.CodeFailedPrecondition)
}
