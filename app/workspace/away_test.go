//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"conch/app/enginehost"
	"conch/app/enginetest"
	"conch/app/workspace"
	"conch/engine/kserve/enginepb"
	"conch/engine/kserve/kservepb"
)

// TestModelsStayWhileTheFolderIsAway: models that keep serving stay in the window, which says what
// happened.
func TestModelsStayWhileTheFolderIsAway(t *testing.T) {
	root := repository(t, map[string]string{"digits": leaf, "add_sub": leaf})
	w := open(t, root, noEngine)
	r := follow(t, w)
	r.until(t, "both models are there", func() bool { return len(r.models) == 2 })
	for _, replace := range []bool{false, true} {
		if err := os.Rename(root, root+"-away"); err != nil {
			t.Fatal(err)
		}
		if replace {
			if err := os.Mkdir(root, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		w.Touch(root)
		r.until(t, "the window says that the folder is away", func() bool {
			return r.repository.Away && strings.Contains(r.repository.Trouble, root) && strings.Contains(r.repository.Trouble, "keeps serving")
		})
		if len(r.models) != 2 || r.repository.ModelCount != 2 {
			t.Errorf("replaced %v: %d models are left of 2", replace, len(r.models))
		}
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(root+"-away", root); err != nil {
			t.Fatal(err)
		}
		w.Touch(root)
		r.until(t, "the folder is back", func() bool { return !r.repository.Away && r.repository.Trouble == "" })
		if len(r.models) != 2 {
			t.Errorf("%d models are back of 2", len(r.models))
		}
	}
}

// TestModelsOfAnEmptiedFolderStay: they keep serving, so the window shows them until they are
// unloaded.
func TestModelsOfAnEmptiedFolderStay(t *testing.T) {
	t.Setenv(enginetest.Env, "")
	root := repository(t, map[string]string{"add_sub": leaf, "digits": leaf})
	w := open(t, root, childEngine)
	r := follow(t, w)
	r.until(t, "both are ready", func() bool { return r.ready("add_sub", "digits") })
	elsewhere := t.TempDir()
	for _, name := range []string{"add_sub", "digits"} {
		if err := os.Rename(filepath.Join(root, name), filepath.Join(elsewhere, name)); err != nil {
			t.Fatal(err)
		}
	}
	w.Touch(root)
	r.until(t, "the window says that the folder has no models", func() bool {
		return r.repository.Away && strings.Contains(r.repository.Trouble, "has no models any more")
	})
	if !r.ready("add_sub", "digits") {
		t.Errorf("what serves is not shown: %v", r.models)
	}
	client, err := w.Client()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"add_sub", "digits"} {
		if _, err := client.RepositoryModelUnload(t.Context(), &kservepb.RepositoryModelUnloadRequest{ModelName: name}); err != nil {
			t.Fatal(err)
		}
	}
	r.until(t, "an empty folder is shown", func() bool { return !r.repository.Away && len(r.models) == 0 })
	if !strings.Contains(r.repository.Trouble, "is empty") {
		t.Errorf("it says %q", r.repository.Trouble)
	}
}

// TestUnloadedWhileTheFolderIsJudged: an event of the engine is not missed between the scan of the
// folder and its display: neither that models are unloaded nor that the engine ends.
func TestUnloadedWhileTheFolderIsJudged(t *testing.T) {
	ready := []*enginepb.Version{{Number: 1, State: enginepb.State_STATE_READY}}
	for name, news := range map[string]enginehost.Update{
		"unloaded": {Event: &enginepb.Event{Removed: []string{"add_sub", "digits"}}},
		"ended":    {Status: &enginehost.Status{State: enginehost.Stopped, Reason: "it ended"}},
	} {
		t.Run(name, func(t *testing.T) {
			var say func(enginehost.Update)
			w := open(t, repository(t, map[string]string{"add_sub": leaf, "digits": leaf}), func(roots []string, up func(enginehost.Update)) (workspace.Engine, error) {
				say = up
				return noEngine(roots, up)
			})
			r := follow(t, w)
			r.until(t, "both models are there", func() bool { return len(r.models) == 2 && r.engine.GetReason() != "" })
			say(enginehost.Update{Event: &enginepb.Event{Models: []*enginepb.Model{{Name: "add_sub", Versions: ready}, {Name: "digits", Versions: ready}}}})
			if !w.EmptiedWhile(func() { say(news) }) {
				t.Fatal("a folder whose loaded models are gone was not judged to be away")
			}
			r = follow(t, w) // from the current state
			r.until(t, "the folder is looked at again", func() bool { return r.repository != nil && !r.repository.Away })
		})
	}
}
