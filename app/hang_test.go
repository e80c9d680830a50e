//go:build unix

package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// A program that does not come back when its input is negative.
const hangingProgram = `
import itertools

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        a = pb_utils.get_input_tensor_by_name(requests[0], "INPUT0").as_numpy()
        while a[0, 0] == -1:
            pass
        if a[0, 0] == -2:
            sum(itertools.repeat(1))
        return [pb_utils.InferenceResponse([pb_utils.Tensor("OUTPUT0", a)])]
`

// openHanging opens a repository with the hanging program, which is ready.
func openHanging(t *testing.T) (w *window, program string) {
	t.Helper()
	apptest.UsePython(t)
	root := apptest.CopyExamples(t)
	dir := filepath.Join(root, "checked")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), hangingProgram)
	w = openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	return w, filepath.Join(dir, "1", "model.py")
}

// A request that hangs in Python, or in C, is found and interrupted from the window. Afterwards the model serves.
func TestHangsAreInterrupted(t *testing.T) {
	w, _ := openHanging(t)
	for input, c := range map[string]struct{ how, failure string }{
		"[[-1, 0]]": {"Its execution ended by KeyboardInterrupt.", "KeyboardInterrupt: the request was interrupted"},
		"[[-2, 0]]": {"Conch starts it again.", "is not healthy. Its execution was interrupted"},
	} {
		ended := make(chan string, 1)
		go func() {
			_, failure := askChecked(t, w.Window, input)
			ended <- failure
		}()
		worker := executing(t, w.Window)
		stacks := ""
		for !strings.Contains(stacks, "model.py\", line 1") || !strings.Contains(stacks, "in execute") {
			stacks = apptest.Call(t, w.Models.ShowStacks, &api.ShowStacksRequest{Worker: worker.Name}).Text
		}
		if how := apptest.Call(t, w.Models.Interrupt, &api.InterruptRequest{Worker: worker.Name}).How; !strings.HasSuffix(how, c.how) {
			t.Errorf("%s: %q", input, how)
		}
		if failure := <-ended; !strings.Contains(failure, c.failure) {
			t.Errorf("%s: the request failed with %q", input, failure)
		}
		for failure := "?"; failure != ""; { // a process that was ended is started again
			_, failure = askChecked(t, w.Window, "[[1, 2]]")
		}
	}
	after := apptest.Call(t, w.Models.ListWorkers, &api.ListWorkersRequest{Model: "checked"}).Workers
	if len(after) != 1 || after[0].Restarts != 1 || after[0].Pid == 0 || after[0].MemoryBytes == 0 || after[0].Started == 0 || after[0].ExecutingNs != 0 {
		t.Errorf("its process: %v", after)
	}
	_, err := w.Models.Interrupt(t.Context(), connect.NewRequest(&api.InterruptRequest{Worker: after[0].Name}))
	if err == nil || !strings.Contains(err.Error(), "instance checked_0 executes no request") {
		t.Errorf("an interrupt of nothing: %v", err)
	}
	if others := apptest.Call(t, w.Models.ListWorkers, &api.ListWorkersRequest{Model: "add_sub"}).Workers; len(others) != 0 {
		t.Errorf("processes of an ONNX model: %v", others)
	}
}

// executing waits until an instance of checked executes.
func executing(t *testing.T, w *apptest.Window) *api.Worker {
	t.Helper()
	for t.Context().Err() == nil {
		for _, worker := range apptest.Call(t, w.Models.ListWorkers, &api.ListWorkersRequest{Model: "checked"}).Workers {
			if worker.ExecutingNs > 0 {
				return worker
			}
		}
	}
	t.Fatal("nothing executes")
	return nil
}

// A request that hangs in a model that was loaded again or unloaded meanwhile is found and interrupted, too.
func TestHangsOfLeavingModelsAreInterrupted(t *testing.T) {
	w, program := openHanging(t)
	hang := func() (worker *api.Worker, failure <-chan string) {
		ended := make(chan string, 1)
		go func() {
			_, failure := askChecked(t, w.Window, "[[-1, 0]]")
			ended <- failure
		}()
		return executing(t, w.Window), ended
	}
	interrupted := func(before *api.Worker, failure <-chan string) {
		t.Helper()
		worker := executing(t, w.Window)
		if worker.Pid != before.Pid || worker.Name.Leaving != before.Pid {
			t.Errorf("process %d hangs, and listed is %v", before.Pid, worker)
		}
		if text := apptest.Call(t, w.Models.ShowStacks, &api.ShowStacksRequest{Worker: worker.Name}).Text; !strings.Contains(text, "model.py") {
			t.Errorf("its stack: %q", text)
		}
		apptest.Call(t, w.Models.Interrupt, &api.InterruptRequest{Worker: worker.Name})
		if got := <-failure; !strings.Contains(got, "KeyboardInterrupt") {
			t.Errorf("the request failed with %q", got)
		}
		for len(leaving(t, w.Window)) > 0 { // until its process has ended
		}
		_, err := w.Models.Interrupt(t.Context(), connect.NewRequest(&api.InterruptRequest{Worker: worker.Name}))
		if err == nil || !strings.Contains(err.Error(), "of instance checked_0 has ended") {
			t.Errorf("an interrupt of a process that has ended: %v", err)
		}
	}

	worker, failure := hang()
	apptest.Write(t, program, hangingProgram+"\n")
	for len(leaving(t, w.Window)) == 0 { // until the new program serves
	}
	interrupted(worker, failure)

	worker, failure = hang()
	apptest.Call(t, w.Models.Unload, &api.UnloadRequest{Name: "checked"})
	interrupted(worker, failure)
}

// leaving returns the processes of checked that end.
func leaving(t *testing.T, w *apptest.Window) (list []*api.Worker) {
	t.Helper()
	for _, worker := range apptest.Call(t, w.Models.ListWorkers, &api.ListWorkersRequest{Model: "checked"}).Workers {
		if worker.Name.Leaving != 0 {
			list = append(list, worker)
		}
	}
	return list
}
