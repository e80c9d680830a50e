//go:build unix

package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/engine/backend/python/environments/wheeltest"
)

// The packages that a model lists are installed only when its repository is trusted and the user asks for it: for exactly what the
// user was shown. Then the window shows how far it is, lists what was installed, and removes it.
func TestPackagesAreInstalledOnlyWhenAsked(t *testing.T) {
	apptest.UsePython(t)
	index := wheeltest.New(t)
	out, err := exec.Command("python3", "-c", "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))").Output()
	if err != nil {
		t.Fatal(err)
	}
	index.AddNumPy(t, strings.TrimSpace(string(out)))
	index.Add(t, "shells", "1.0", map[string]string{"shells.py": ""})
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("CONCH_DATA_DIR", data)
	environments := func() []string {
		found, _ := filepath.Glob(filepath.Join(data, "python", "environments", "*"))
		return found
	}
	root := apptest.CopyExamples(t)
	apptest.Write(t, filepath.Join(root, "sums", "config.pbtxt"), pythonConfig)
	apptest.Write(t, filepath.Join(root, "sums", "1", "model.py"), "import shells\n"+strings.Replace(pythonProgram, "MARK", "'"+os.DevNull+"'", 1))
	apptest.Write(t, filepath.Join(root, "sums", "requirements.txt"), "shells>=1\n")
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: data})
	failed := func(s *apptest.Snapshot) bool { return s.State("sums") == api.ModelState_MODEL_STATE_FAILED }
	s := w.Until(t, "it waits for trust", func(s *apptest.Snapshot) bool { return s.State("sums") == api.ModelState_MODEL_STATE_UNTRUSTED })
	if s.Models["sums"].Offer != nil {
		t.Errorf("before the repository is trusted there is an offer: %v", s.Models["sums"].Offer)
	}
	apptest.Refused(t, w.Models.Install, &api.InstallRequest{Model: "sums", Offer: ""}, connect.CodeFailedPrecondition)
	w.trust(t, api.Access_TRUST_TRUSTED)
	s = w.Until(t, "it lacks its packages", func(s *apptest.Snapshot) bool { return failed(s) && s.Models["sums"].Offer != nil })
	model := s.Models["sums"]
	if !strings.Contains(model.Reason, "No module named 'shells'") || !strings.Contains(model.Reason, "press Install on the model's page") {
		t.Errorf("reason: %s", model.Reason)
	}
	if offer := model.Offer; strings.Join(offer.Packages, ";") != "shells>=1" || offer.From != "requirements.txt" {
		t.Errorf("offer: %v", offer)
	}
	apptest.Refused(t, w.Models.Install, &api.InstallRequest{Model: "sums", Offer: "another"}, connect.CodeFailedPrecondition)
	if made := environments(); len(made) > 0 {
		t.Fatalf("something was installed without being asked: %v", made)
	}
	apptest.Call(t, w.Models.Install, &api.InstallRequest{Model: "sums", Offer: model.Offer.Id})
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool {
		return s.State("sums") == api.ModelState_MODEL_STATE_READY && s.Models["sums"].Offer == nil
	})
	list := apptest.Call(t, w.Workspace.ListEnvironments, &api.ListEnvironmentsRequest{}).Environments
	if len(list) != 1 || !list[0].InUse || list[0].MadeFor != "model 'sums'" || list[0].Bytes == 0 {
		t.Fatalf("installed: %v", list)
	}
	apptest.Refused(t, w.Workspace.RemoveEnvironment, &api.RemoveEnvironmentRequest{Id: list[0].Id}, connect.CodeFailedPrecondition)
	apptest.Call(t, w.Models.Unload, &api.UnloadRequest{Name: "sums"})
	w.Until(t, "it is unloaded", func(s *apptest.Snapshot) bool { return s.State("sums") == api.ModelState_MODEL_STATE_UNLOADED })
	for list[0].InUse { // an unload does not wait for what still runs
		list = apptest.Call(t, w.Workspace.ListEnvironments, &api.ListEnvironmentsRequest{}).Environments
	}
	apptest.Call(t, w.Workspace.RemoveEnvironment, &api.RemoveEnvironmentRequest{Id: list[0].Id})
	if left, _ := filepath.Glob(filepath.Join(data, "python", "environments", "*", "*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
