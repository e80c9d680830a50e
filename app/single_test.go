//go:build unix

package app_test

import (
	"strings"
	"testing"

	"connectrpc.com/connect"

	"conch/app"
	"conch/app/api"
	"conch/app/apptest"
	"conch/app/single"
)

func TestWhatAnotherWindowHasIsLeftToIt(t *testing.T) {
	data, root, other := t.TempDir(), apptest.CopyExamples(t), apptest.CopyExamples(t)
	first := openWith(t, app.Options{DataDir: data, Kind: single.Window, Repositories: []string{root}})
	shown := make(chan struct{}, 9)
	first.App.Announce(nil, func() { shown <- struct{}{} })
	second := openWith(t, app.Options{DataDir: data, Kind: single.Window, Repositories: []string{other}})
	said := apptest.Refused(t, second.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: root}, connect.CodeFailedPrecondition)
	if !strings.Contains(said, root+" is open in another window of Conch, which is in front now") {
		t.Errorf("said %q", said)
	}
	<-shown
	if roots := second.first(t).Repository.Roots; len(roots) != 1 || roots[0] != other {
		t.Errorf("the second shows %v now", roots)
	}
	second.App.Announce(nil, nil)
	if e := app.Elsewhere(t.Context(), app.Options{DataDir: data, Last: true}); e == nil || e.Roots[0] != other {
		t.Errorf("what was open last is found %v", e)
	}
	third := openWith(t, app.Options{DataDir: data, Kind: single.Window, Repositories: []string{root}})
	if r := third.first(t).Repository; len(r.Roots) != 0 || !strings.Contains(r.Trouble, "is open in another window") {
		t.Errorf("a third start shows %v", r)
	}
	<-shown
	first.Close()
	apptest.Call(t, third.Workspace.OpenRepository, &api.OpenRepositoryRequest{Path: root})
	third.Until(t, "the repository is served by the third", apptest.AllReady)
}
