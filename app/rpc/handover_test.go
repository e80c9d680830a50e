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

// TestHandoverPacks: the page is told which environments can be packed and what they take, and the files use the copy.
func TestHandoverPacks(t *testing.T) {
	w := apptest.OpenExamples(t)
	model := filepath.Join(w.Root, "doubles")
	apptest.Write(t, filepath.Join(model, "config.pbtxt"), "backend: \"python\"\ninput { name: \"IN\" data_type: TYPE_FP32 dims: 4 }\noutput { name: \"OUT\" data_type: TYPE_FP32 dims: 4 }\n")
	apptest.Write(t, filepath.Join(model, "1", "model.py"), "class TritonPythonModel:\n    def execute(self, requests):\n        return []\n")
	apptest.Write(t, filepath.Join(model, ".venv", "lib", "python3.12", "site-packages", "own.py"), "KIND = 1\n")
	choice := &api.ExportChoice{Target: "compose", Release: "24.12"}
	made := apptest.Call(t, w.Handover.PrepareExport, &api.PrepareExportRequest{Choice: choice})
	if len(made.Environments) != 1 || made.Environments[0].Model != "doubles" || made.Environments[0].Of != ".venv" || made.Environments[0].Bytes != 9 || made.Bytes == 0 {
		t.Errorf("%v of %d bytes", made.Environments, made.Bytes)
	}
	if len(made.Problems) != 1 || !strings.Contains(made.Problems[0].Text, "Triton does not use") {
		t.Errorf("%v", made.Problems)
	}
	choice.Pack = true
	made = apptest.Call(t, w.Handover.PrepareExport, &api.PrepareExportRequest{Choice: choice})
	if len(made.Problems) != 0 || !strings.Contains(made.Files[0].Text, "FOLDER/repository/") {
		t.Errorf("%v\n%s", made.Problems, made.Files[0].Text)
	}
	dir := filepath.Join(t.TempDir(), "deploy")
	done := apptest.Call(t, w.Handover.WriteExport, &api.WriteExportRequest{Choice: choice, Folder: dir})
	if len(done.Packed) != 1 || !strings.Contains(done.Packed[0], "doubles") {
		t.Errorf("%v", done)
	}
	copied := filepath.Join(dir, "repository", filepath.Base(w.Root))
	if text := apptest.ReadFile(t, filepath.Join(copied, "doubles", "config.pbtxt")); !strings.Contains(text, "EXECUTION_ENV_PATH") {
		t.Error(text)
	}
	if text := apptest.ReadFile(t, filepath.Join(dir, "compose.yaml")); !strings.Contains(text, copied) {
		t.Error(text)
	}
}
