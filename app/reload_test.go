//go:build unix

package app_test

import (
	"syscall"
	"testing"

	"conch/app/api"
)

// TestReloadChoice: what a person chose for a model applies after a restart of the engine, and moves
// with the model's name.
func TestReloadChoice(t *testing.T) {
	w := openExamples(t)
	s := w.until(t, "all are ready", allReady)
	call(t, w.models.SetReload, &api.SetReloadRequest{Name: "add_sub", Reload: "ask"})
	asks := func(name string) func(*snapshot) bool {
		return func(s *snapshot) bool {
			return s.state(name) == api.ModelState_MODEL_STATE_READY && s.models[name].Reload == "ask"
		}
	}
	w.until(t, "it asks", asks("add_sub"))
	if err := syscall.Kill(int(s.engine.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.until(t, "it asks in the next life", func(s *snapshot) bool { return s.engine.GetRestarts() == 1 && asks("add_sub")(s) })
	renameModel(t, w, "add_sub", "sums", 1)
	call(t, w.models.Load, &api.LoadRequest{Name: "sums"})
	w.until(t, "it asks under its new name", asks("sums"))
	if s := w.until(t, "the others do not", allReady); s.models["digits"].Reload != "on-save" {
		t.Errorf("digits: %q", s.models["digits"].Reload)
	}
}
