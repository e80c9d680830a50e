//go:build unix

package app_test

import (
	"cmp"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/engine/backend/python/debugtest"
)

// A debugger attaches to an instance, stops a request at a breakpoint, and lets it go on. Meanwhile the other instance serves.
// Nothing listens before it is asked to, nor after the model is loaded again.
func TestDebugger(t *testing.T) {
	apptest.UsePython(t)
	debugtest.Require(t, cmp.Or(os.Getenv("CONCH_PYTHON"), "python3"))
	root := apptest.CopyExamples(t)
	helper := writeChecked(t, root, "2")
	apptest.Write(t, filepath.Join(root, "checked", "config.pbtxt"), checkedConfig+"instance_group [{ count: 2 }]\n")
	w := openWith(t, app.Options{Repositories: []string{root}, DataDir: t.TempDir()})
	w.trust(t, api.Access_TRUST_TRUSTED)
	w.Until(t, "it is ready", func(s *apptest.Snapshot) bool { return s.State("checked") == api.ModelState_MODEL_STATE_READY })
	workers := func() []*api.Worker {
		return apptest.Call(t, w.Models.ListWorkers, &api.ListWorkersRequest{Model: "checked"}).Workers
	}
	if before := workers(); len(before) != 2 || before[0].Debugger+before[1].Debugger != "" {
		t.Fatalf("before: %v", before)
	}
	before := w.Until(t, "its memory is known", func(s *apptest.Snapshot) bool { return s.Models["checked"].GetMemoryBytes() > 0 }).Models["checked"].MemoryBytes
	got := apptest.Call(t, w.Models.Debug, &api.DebugRequest{Worker: workers()[0].Name})
	if host, port, err := net.SplitHostPort(got.Address); err != nil || host != "127.0.0.1" || !strings.Contains(got.Launch, `"port": `+port) {
		t.Fatalf("the address %q, the entry %s", got.Address, got.Launch)
	}
	if again := apptest.Call(t, w.Models.Debug, &api.DebugRequest{Worker: workers()[0].Name}); again.Address != got.Address || workers()[0].Debugger != got.Address {
		t.Errorf("asked again: %q, %v", again.Address, workers())
	}
	w.Until(t, "the debugger's memory is a part of the model's", func(s *apptest.Snapshot) bool { return s.Models["checked"].GetMemoryBytes() > before })
	for _, line := range apptest.Call(t, w.Workspace.ListLog, &api.ListLogRequest{}).Lines {
		if line.Model == "checked" && strings.Contains(line.Text, "stream=stderr") {
			t.Errorf("the log says of the debugger: %s", line.Text)
		}
	}
	debugger := debugtest.Attach(t, got.Address, helper, 8)

	stopped := make(chan debugtest.Message, 1)
	go func() { stopped <- debugger.Event("stopped") }()
	ended := make(chan string, 100)
	asked := 0
	var at debugtest.Message
	for waiting := true; waiting; { // a request goes to any instance that is free
		asked++
		go func() {
			_, failure := askChecked(t, w.Window, "[[1, 2]]")
			ended <- failure
		}()
		select {
		case at = <-stopped:
			waiting = false
		case failure := <-ended:
			if asked--; failure != "" {
				t.Fatal(failure)
			}
		}
	}
	var body struct{ ThreadID int }
	if err := json.Unmarshal(at.Body, &body); err != nil {
		t.Fatal(err)
	}
	if _, failure := askChecked(t, w.Window, "[[1, 2]]"); failure != "" {
		t.Errorf("the other instance: %s", failure)
	}
	frames := debugger.Ask("stackTrace", map[string]any{"threadId": body.ThreadID})
	if !strings.Contains(string(frames.Body), "answer") || !strings.Contains(string(frames.Body), "execute") {
		t.Errorf("the stack: %s", frames.Body)
	}
	debugger.Ask("setBreakpoints", map[string]any{"source": map[string]any{"path": helper}, "breakpoints": []int{}})
	debugger.Ask("continue", map[string]any{"threadId": body.ThreadID})
	for ; asked > 0; asked-- {
		if failure := <-ended; failure != "" {
			t.Errorf("the request that was stopped: %s", failure)
		}
	}
	apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "checked", Force: true})
	for conn, err := net.Dial("tcp", got.Address); err == nil; conn, err = net.Dial("tcp", got.Address) {
		_ = conn.Close() // until the processes before have ended
	}
	for _, worker := range workers() {
		if worker.Debugger != "" {
			t.Errorf("after the model was loaded again: %v", worker)
		}
	}
}
