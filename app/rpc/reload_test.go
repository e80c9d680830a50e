//go:build unix

package rpc_test

import (
	"syscall"
	"testing"

	"conch/app/api"
	"conch/app/apptest"
)

// TestReloadChoice: what a person chose for a model applies after a restart of the engine, and moves
// with the model's name.
func TestReloadChoice(t *testing.T) {
	w := apptest.OpenExamples(t)
	s := w.Until(t, "all are ready", apptest.AllReady)
	apptest.Call(t, w.Models.SetReload, &api.SetReloadRequest{Name: "add_sub", Reload: "ask"})
	asks := func(name string) func(*apptest.Snapshot) bool {
		return func(s *apptest.Snapshot) bool {
			return s.State(name) == api.ModelState_MODEL_STATE_READY && s.Models[name].Reload == "ask"
		}
	}
	w.Until(t, "it asks", asks("add_sub"))
	if err := syscall.Kill(int(s.Engine.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.Until(t, "it asks in the next life", func(s *apptest.Snapshot) bool { return s.Engine.GetRestarts() == 1 && asks("add_sub")(s) })
	renameModel(t, w, "add_sub", "sums", 1)
	apptest.Call(t, w.Models.Load, &api.LoadRequest{Name: "sums"})
	w.Until(t, "it asks under its new name", asks("sums"))
	if s := w.Until(t, "the others do not", apptest.AllReady); s.Models["digits"].Reload != "on-save" {
		t.Errorf("digits: %q", s.Models["digits"].Reload)
	}
}
