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

// A request that hangs in Python, or in C, is found and interrupted from the window. Afterwards the model serves.
func TestHangsAreInterrupted(t *testing.T) {
	usePython(t)
	root := apptest.CopyExamples(t)
	dir := filepath.Join(root, "checked")
	apptest.Write(t, filepath.Join(dir, "config.pbtxt"), checkedConfig)
	apptest.Write(t, filepath.Join(dir, "1", "model.py"), hangingProgram)
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
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
