//go:build unix

package app_test

import (
	"testing"
	"time"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
)

// TestTheEngineWaitsForTheView opens the workbench as the window does: the models are listed, and the engine has no process
// until the page says that it is drawn.
func TestTheEngineWaitsForTheView(t *testing.T) {
	app.WaitForView(t, time.Hour)
	w := openWith(t, app.Options{Repositories: []string{apptest.CopyExamples(t)}, ViewFirst: true})
	s := w.Until(t, "the models are listed", func(s *apptest.Snapshot) bool { return len(s.Models) > 0 && s.Engine != nil })
	if s.Engine.State != api.Engine_STATE_STARTING || s.Engine.Pid != 0 {
		t.Fatalf("before the page is drawn the engine is %v", s.Engine)
	}
	apptest.Call(t, w.Workspace.NoteShown, &api.NoteShownRequest{})
	w.Until(t, "the models are loaded", apptest.AllReady)
}

// TestTheEngineWaitsForNoViewForEver opens a workbench whose page never comes.
func TestTheEngineWaitsForNoViewForEver(t *testing.T) {
	app.WaitForView(t, 10*time.Millisecond)
	w := openWith(t, app.Options{Repositories: []string{apptest.CopyExamples(t)}, ViewFirst: true})
	w.Until(t, "the models are loaded", apptest.AllReady)
}
