//go:build unix

package app_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// A program that waits for a file elsewhere when its input is negative, and then reads one of its own folder.
const readingProgram = `
import os
import time

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        a = pb_utils.get_input_tensor_by_name(requests[0], "INPUT0").as_numpy()
        while a[0, 0] == -1 and not os.path.exists(RELEASE):
            time.sleep(0.01)
        open(os.path.join(os.path.dirname(__file__), "words.txt")).close()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", a)])]
`

// TestDeleteWaitsForRequests: a request that is under way is counted, and its model's files are there until it is answered.
func TestDeleteWaitsForRequests(t *testing.T) {
	apptest.UsePython(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	root, release := apptest.CopyExamples(t), filepath.Join(t.TempDir(), "release")
	dir := filepath.Join(root, "checked")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(dir, "1", "words.txt"), "words")
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), "RELEASE = "+strconv.Quote(release)+"\n"+readingProgram)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	answered := make(chan string, 1)
	go func() {
		_, failure := askChecked(t, w.Window, "[[-1, 0]]")
		answered <- failure
	}()
	executing(t, w.Window)
	for _, path := range []string{"", "1"} {
		if plan := apptest.Call(t, w.Editor.PlanDelete, &api.PlanDeleteRequest{Model: "checked", Path: path}); plan.InFlight != 1 {
			t.Errorf("under way in %q: %d", path, plan.InFlight)
		}
	}
	deleted := make(chan struct{})
	go func() {
		defer close(deleted)
		apptest.Call(t, w.Editor.Delete, &api.DeleteRequest{Model: "checked"})
	}()
	w.Until(t, "it takes no more requests", func(s *apptest.Snapshot) bool {
		return s.State("checked") == api.ModelState_MODEL_STATE_UNLOADING
	})
	apptest.Write(t, release, "")
	if failure := <-answered; failure != "" {
		t.Errorf("the request that was under way: %s", failure)
	}
	<-deleted
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the model is there still: %v", err)
	}
}

// A program whose load waits for a file elsewhere.
const waitingLoad = `
import os
import time


class TritonPythonModel:
    def initialize(self, args):
        while not os.path.exists(RELEASE):
            time.sleep(0.01)

    def execute(self, requests):
        return []
`

// TestDeleteIsStopped: a deletion that nobody waits for any more has deleted nothing, also where the versions that are left
// are being loaded already.
func TestDeleteIsStopped(t *testing.T) {
	apptest.UsePython(t)
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	root, release := apptest.CopyExamples(t), filepath.Join(t.TempDir(), "release")
	dir := filepath.Join(root, "checked")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), "RELEASE = "+strconv.Quote(release)+"\n"+waitingLoad)
	apptest.Write(t, filepath.Join(dir, "2", "model.py"), "RELEASE = '/'\n"+waitingLoad)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	version := func(number int64, state api.ModelState) func(*apptest.Snapshot) bool {
		return func(s *apptest.Snapshot) bool {
			return slices.ContainsFunc(s.Models["checked"].GetVersions(), func(v *api.Version) bool { return v.Number == number && v.State == state })
		}
	}
	w.Until(t, "version 2 serves", version(2, api.ModelState_MODEL_STATE_READY))
	ctx, stop := context.WithCancel(t.Context())
	deleted := make(chan error)
	go func() {
		_, err := w.Editor.Delete(ctx, connect.NewRequest(&api.DeleteRequest{Model: "checked", Path: "2"}))
		deleted <- err
	}()
	w.Until(t, "version 1 is loaded", version(1, api.ModelState_MODEL_STATE_LOADING))
	if _, err := os.Stat(filepath.Join(dir, "2")); !os.IsNotExist(err) {
		t.Errorf("version 2 is not gone: %v", err)
	}
	stop()
	if err := <-deleted; connect.CodeOf(err) != connect.CodeCanceled {
		t.Errorf("it ended with %v", err)
	}
	w.Until(t, "version 2 is back", func(*apptest.Snapshot) bool {
		_, err := os.Stat(filepath.Join(dir, "2", "model.py"))
		return err == nil
	})
	apptest.Write(t, release, "")
	w.Until(t, "version 2 serves alone", func(s *apptest.Snapshot) bool {
		return version(2, api.ModelState_MODEL_STATE_READY)(s) && !version(1, api.ModelState_MODEL_STATE_LOADING)(s) && !version(1, api.ModelState_MODEL_STATE_READY)(s)
	})
}
